"""The agent as a process: started, killed, ended, and in bad circumstances."""

import os
from collections.abc import Callable

import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from hopwatch_agent.logs.limit import LINES_A_MINUTE
from journal_writer import JournalWriter

Writing = Callable[..., WriterProcess]


def ready(agent: AgentProcess) -> bool:
    return plain_http.get(f"{agent.url}/readyz").status_code == 200


def test_sigterm_lands_everything_and_ends_in_order(agent: AgentProcess, writing: Writing) -> None:
    # with so long to end, one that waited for the end of it would end too late for terminate
    agent.start("--stop-seconds", "1000")
    writer = writing()
    eventually(lambda: agent.get("/v1/sockets"))
    written = writer.end()
    assert agent.terminate() == (0, "")
    assert list(agent.journal.iterdir()) == []
    assert sorted(row["number"] for row in agent.rows("onset")) == list(range(written))
    (final,) = [row for row in agent.rows("counters") if row["final"]]
    assert final["sent"] == written


def test_a_second_agent_on_the_same_data_is_refused(agent: AgentProcess) -> None:
    agent.start()
    second = agent.launch()
    out, errors = second.communicate(timeout=120)
    assert second.returncode == 2
    assert out == ""
    assert errors == f"hopwatch agent: another agent is running on the data directory {agent.data}\n"
    assert ready(agent)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--listen", "127.0.0.1:99999"), "HOST:PORT"),
        (("--listen", "192.0.2.1:80", "--insecure"), "cannot listen on 192.0.2.1:80"),
    ],
)
def test_a_bad_setting_is_one_clear_line(agent: AgentProcess, arguments: tuple[str, ...], said: str) -> None:
    bad = AgentProcess(agent.journal.parent, dict(os.environ), *arguments).launch()
    out, errors = bad.communicate(timeout=120)
    assert (bad.returncode, out) == (2, "")
    assert errors.count("\n") == 1
    assert said in errors


def test_a_missing_directory_is_an_empty_one_and_is_left_to_the_applications(
    agent: AgentProcess, writing: Writing
) -> None:
    agent.journal.rmdir()
    agent.start()
    eventually(lambda: ready(agent))
    (error,) = eventually(lambda: agent.get("/v1/status")["errors"])
    assert error["source"] == "journal"
    assert error["text"] == f"{agent.journal} is not there yet: no journal to read"
    assert not agent.journal.exists()
    writer = writing()
    eventually(lambda: agent.get("/v1/sockets"))
    assert agent.get("/v1/status")["errors"] == []
    written = writer.end()
    assert agent.terminate() == (0, "")
    assert len(agent.rows("onset")) == written


def test_a_directory_that_cannot_be_read_is_waited_for(agent: AgentProcess, writing: Writing) -> None:
    agent.journal.rmdir()
    agent.journal.write_text("in the way")
    agent.start()
    (error,) = eventually(lambda: agent.get("/v1/status")["errors"])
    assert "Not a directory" in error["text"]
    assert str(agent.journal) in error["text"]
    answer = plain_http.get(f"{agent.url}/readyz")
    assert answer.status_code == 503
    assert str(agent.journal) not in answer.text
    assert plain_http.get(f"{agent.url}/healthz").status_code == 200
    agent.journal.unlink()
    eventually(lambda: ready(agent))


def test_what_cannot_be_read_is_told_on_standard_error_in_a_few_lines(agent: AgentProcess) -> None:
    writers = [JournalWriter(agent.journal, lock=False) for _ in range(20)]
    for writer in writers:
        offset = writer.raw(b"garbage\x1b[31m\n")
    agent.start("--log-level", "warning")
    eventually(lambda: agent.get("/v1/status")["faults"] == 20)
    status, errors = agent.terminate()
    lines = [line for line in errors.splitlines() if " warning: fault " in line]
    assert status == 0
    assert len(lines) == LINES_A_MINUTE + 1
    told = [line for line in lines if f"{writers[0].path('events', 0)}, byte {offset}: " in line]
    assert all(line.startswith("hopwatch agent: ") for line in lines)
    assert len(told) <= 1
    assert f"and {20 - LINES_A_MINUTE} more" in lines[-1]
    assert len(agent.rows("fault")) == 20


def test_a_place_that_cannot_be_written_is_shown_and_tried_again(
    agent: AgentProcess, writing: Writing
) -> None:
    agent.landed.write_text("in the way")
    agent.start()
    writer = writing()
    errors = eventually(lambda: agent.get("/v1/status")["errors"])
    assert errors[0]["source"] == "landing"
    assert str(agent.landed) in errors[0]["text"]
    agent.landed.unlink()
    eventually(lambda: agent.get("/v1/status")["errors"] == [])
    written = writer.end()
    assert agent.terminate()[0] == 0
    assert len(agent.rows("onset")) == written
