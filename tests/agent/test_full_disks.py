"""A disk that is full: of the database, of the landing place, of the journal. Nothing crashes, and all goes on when there is room."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from small_disks import fill, small_disk

Writing = Callable[..., WriterProcess]


def errors_of(agent: AgentProcess, source: str) -> list[str]:
    return [error["text"] for error in agent.get("/v1/status")["errors"] if error["source"] == source]


def assert_lives(agent: AgentProcess) -> None:
    assert plain_http.get(f"{agent.url}/healthz").status_code == 200


def assert_each_onset_once(agent: AgentProcess, written: int) -> None:
    assert sorted(row["number"] for row in agent.rows("onset")) == list(range(written))
    assert [row["sent"] for row in agent.rows("counters") if row["final"]] == [written]
    assert {row["events_lost"] for row in agent.rows("process") if row["state"] == "gone"} == {0}


def test_a_database_that_gets_no_room_goes_on_when_there_is_some(
    agent: AgentProcess, writing: Writing
) -> None:
    with small_disk(agent.data, 2):
        agent.start()
        writer = writing()
        eventually(lambda: agent.get("/v1/sockets"))
        filler = fill(agent.data)
        (error,) = eventually(lambda: errors_of(agent, "tick"))
        assert "full" in error
        assert str(agent.data) in error
        assert_lives(agent)
        filler.unlink()
        eventually(lambda: not agent.get("/v1/status")["errors"])
        written = writer.end()
        assert agent.terminate()[0] == 0
    assert_each_onset_once(agent, written)


@pytest.mark.extended("a disk that has to fill, fifteen seconds")
def test_a_database_that_filled_its_disk_itself_empties_it_when_the_landing_place_is_back(
    agent: AgentProcess, writing: Writing
) -> None:
    agent.landed.write_text("in the way")
    with small_disk(agent.data, 1):
        agent.start()
        writer = writing()
        eventually(lambda: errors_of(agent, "landing"))
        eventually(lambda: errors_of(agent, "tick"), 90)
        assert_lives(agent)
        agent.landed.unlink()
        eventually(lambda: not agent.get("/v1/status")["errors"], 90)
        written = writer.end()
        # on so small a disk it takes turns of reading and landing until all is read
        eventually(lambda: agent.get("/v1/status")["processes"] == 0, 90)
        assert agent.terminate()[0] == 0
    assert_each_onset_once(agent, written)


def test_a_landing_place_that_is_full_is_tried_again(agent: AgentProcess, writing: Writing) -> None:
    with small_disk(agent.landed, 1):
        agent.start()
        writer = writing()
        eventually(lambda: agent.get("/v1/status")["rows_landed"])
        filler = fill(agent.landed)
        (error,) = eventually(lambda: errors_of(agent, "landing"))
        assert str(agent.landed) in error
        assert_lives(agent)
        filler.unlink()
        eventually(lambda: not agent.get("/v1/status")["errors"])
        written = writer.end()
        assert agent.terminate()[0] == 0
        assert_each_onset_once(agent, written)


# both ends, so that messages are lost and events are made; it says how many were and closes when it is told to
APPLICATION = """
import hopwatch, os, sys, time, zmq
context = zmq.Context()
router = hopwatch.wrap(context.socket(zmq.ROUTER), name="swallows")
print("running", flush=True)
os.set_blocking(0, False)
sent = 0
while sys.stdin.buffer.raw.read(1) is None:
    router.send_multipart([b"%d" % sent, b"x"])
    sent += 1
    time.sleep(0.001)
router.close()
print(sent, flush=True)
"""


def test_events_that_a_full_journal_has_no_room_for_are_counted_and_the_counters_stay_true(
    agent: AgentProcess,
) -> None:
    environment: dict[str, Any] = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    with small_disk(agent.journal, 2):
        agent.start()
        application = subprocess.Popen(
            [sys.executable, "-c", APPLICATION],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "HOPWATCH_DIR": str(agent.journal)},
            text=True,
        )
        assert application.stdout is not None
        assert application.stdout.readline() == "running\n"
        (socket,) = eventually(lambda: agent.get("/v1/sockets"))
        filler = fill(agent.journal)
        lost = eventually(lambda: agent.get("/v1/status")["events_lost"])
        assert_lives(agent)
        filler.unlink()
        after = agent.get(f"/v1/sockets/{socket['id']}")["counters"]["sent"]
        eventually(lambda: agent.get(f"/v1/sockets/{socket['id']}")["counters"]["sent"] > after + 100)
        out, _ = application.communicate("\n")
        assert application.returncode == 0
        assert agent.terminate()[0] == 0
    (gone,) = [row for row in agent.rows("process") if row["state"] == "gone"]
    assert gone["events_lost"] >= lost
    # each message to a new peer is an event of its own, and so are the opening, the monitor, the closing and the end
    numbers = [row["number"] for row in agent.rows("unroutable")]
    assert len(numbers) == len(set(numbers)) == int(out) - gone["events_lost"]
    (final,) = [row for row in agent.rows("counters") if row["final"]]
    assert (final["sent"], final["unroutable"]) == (int(out), int(out))
