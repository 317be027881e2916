"""What the agent answers over HTTP."""

import re
from datetime import datetime
from pathlib import Path
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from journal_writer import JournalWriter

SENDER = "00000000000000a1"
RECEIVER = "00000000000000b2"
COUNTERS = {
    "sent",
    "sent_bytes",
    "received",
    "received_bytes",
    "eagain_sends",
    "eagain_receives",
    "waited_sends",
    "waited_seconds",
    "onsets",
    "unroutable",
    "gaps",
    "lost",
    "duplicated",
    "reordered",
    "proxied_in_frames",
    "proxied_out_frames",
}


@pytest.fixture(scope="module")
def writer(agent: AgentProcess) -> JournalWriter:
    """A process of two sockets that lives as long as the tests do, with one gap between them."""
    writer = JournalWriter(agent.journal, place={"namespace": "trading", "pod": "feed-0"})
    writer.opened(SENDER, name="quotes")
    writer.event("bind", socket=SENDER, endpoint="tcp://127.0.0.1:5555")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    link = {"endpoint": "tcp://127.0.0.1:5555", "accepted": True, "sent": 0, "received": 0}
    ends = {"local": "127.0.0.1:5555", "remote": "127.0.0.1:40001"}
    writer.event("connected", socket=SENDER, connection=1, **link, **ends)
    writer.event("handshake", socket=SENDER, endpoint="tcp://127.0.0.1:5555", sent=0, received=0)
    writer.event(
        "connected", socket=SENDER, connection=2, **link, local="127.0.0.1:5555", remote="127.0.0.1:40002"
    )
    writer.event("disconnected", socket=SENDER, connection=2, **link, local=None, remote=None)
    writer.event("retried", socket=RECEIVER, endpoint="tcp://127.0.0.1:1")
    writer.event("lane", socket=SENDER, stream=SENDER, lane=0, topic="6162", slot=[0, 0])
    writer.event("lane", socket=RECEIVER, stream=SENDER, lane=0, topic="6162", slot=[0, 1])
    writer.set_lane(0, SENDER, SENDER, 0, 10, 20, 0, 10, 1_700_000_000_000_000_000)
    writer.set_lane(1, RECEIVER, SENDER, 0, 6, 0, 1, 10, 1_700_000_000_000_000_000)
    writer.set_counters(SENDER, 0, sent=10, sent_bytes=640, waited_ns=1_500_000_000)
    writer.set_counters(RECEIVER, 1, received=6, lost=3, gaps=1)
    writer.event(
        "finding", socket=RECEIVER, rule="conflate", text="keeps the last message only", advice="unset it"
    )
    writer.event(
        "gap", socket=RECEIVER, stream=SENDER, lane=0, first=4, last=6, before=3, after=7, received=5
    )
    eventually(lambda: any(event["kind"] == "gap" for event in agent.get("/v1/events")))
    return writer


def test_status_tells_where_it_reads_and_lands_and_how_it_goes(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    status = agent.get("/v1/status")
    assert (status["host"], status["directory"], status["landing"]) == (
        "box-1",
        str(agent.journal),
        str(agent.landed),
    )
    assert re.fullmatch(r"\d+\.\d+\.\d+", status["version"])
    assert datetime.fromisoformat(status["started_at"]).utcoffset() is not None
    assert (status["processes"], status["sockets"]) == (1, 2)
    eventually(lambda: agent.get("/v1/status")["lag_seconds"] < 5)
    assert (status["errors"], status["faults"], status["events_lost"]) == ([], 0, 0)
    waiting = eventually(lambda: agent.get("/v1/status")["rows_waiting"] == 0)
    assert waiting
    eventually(lambda: agent.get("/v1/status")["last_landing"] is not None)


def test_status_tells_what_the_agent_costs_and_has_before_it(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    status = eventually(lambda: (told := agent.get("/v1/status"))["costs"]["cpu_seconds"] > 0 and told)
    costs, pid = status["costs"], agent.process.pid if agent.process else 0
    assert 20_000_000 < costs["rss_bytes"] < 1_000_000_000
    assert 3 <= costs["threads"] <= len(list(Path(f"/proc/{pid}/task").iterdir())) + 5
    assert 5 <= costs["descriptors"] < 100
    assert 0 < costs["ticking_seconds"] < costs["cpu_seconds"] + 60
    eventually(lambda: 0 <= agent.get("/v1/status")["lag"]["tick_age_seconds"] < 5)
    eventually(lambda: agent.get("/v1/status")["lag"]["unread_bytes"] == 0)
    size = (agent.data / "agent.sqlite3").stat().st_size
    assert 0 < status["database"]["bytes"] <= size
    assert status["settings"]["land"] == str(agent.landed)
    assert {"python", "sqlite", "pyarrow"} < set(status["versions"])


def test_what_is_not_read_yet_is_told_in_bytes(agent: AgentProcess) -> None:
    line = b'{"event":"onset"'  # without an end it may still be written
    unread = JournalWriter(agent.journal)
    unread.raw(line)

    told = eventually(lambda: agent.get("/v1/status")["lag"]["unread_bytes"])
    unread.raw(b"\n")
    unread.close()

    assert told == len(line)
    eventually(lambda: agent.get("/v1/status")["lag"]["unread_bytes"] == 0)


def test_a_socket_is_shown_with_its_counters_peers_and_findings(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    sender = agent.get(f"/v1/sockets/{SENDER}")
    assert (sender["id"], sender["name"], sender["type"], sender["host"]) == (
        SENDER,
        "quotes",
        "PUB",
        "web-1",
    )
    assert sender["process"]["command"] == "python app.py"
    assert sender["process"]["place"] == {
        "namespace": "trading",
        "pod": "feed-0",
        "container": None,
        "node": None,
        "owner": None,
    }
    assert sender["closed_at"] is None
    assert sender["endpoints"] == ["tcp://127.0.0.1:5555"]
    assert sender["options"] == {"sndhwm": 1000, "linger": -1}
    assert set(sender["counters"]) == {*COUNTERS, "pending_sends"}
    assert set(sender["rates"]) == COUNTERS
    assert (sender["counters"]["sent"], sender["counters"]["sent_bytes"]) == (10, 640)
    assert sender["counters"]["waited_seconds"] == 1.5
    assert [(peer["remote"], peer["state"]) for peer in sender["peers"]] == [
        ("127.0.0.1:40001", "ready"),
        (None, "disconnected"),
    ]
    receiver = agent.get(f"/v1/sockets/{RECEIVER}")
    assert receiver["counters"]["lost"] == 3
    assert [finding["rule"] for finding in receiver["findings"]] == ["conflate"]
    assert [socket["id"] for socket in agent.get("/v1/sockets")] == [SENDER, RECEIVER]


def test_findings_are_listed_with_their_sockets(agent: AgentProcess, writer: JournalWriter) -> None:
    (finding,) = agent.get("/v1/findings")
    assert (finding["socket"], finding["socket_name"], finding["type"], finding["host"]) == (
        RECEIVER,
        "slow",
        "SUB",
        "web-1",
    )
    assert finding["process"]["command"] == "python app.py"
    assert (finding["rule"], finding["text"], finding["advice"]) == (
        "conflate",
        "keeps the last message only",
        "unset it",
    )


def test_an_unknown_socket_is_a_404_with_a_reason(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/sockets/ffffffffffffffff")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json() == {
        "type": "tag:hopwatch.dev,2026:unknown-socket",
        "title": "No such socket",
        "status": 404,
        "detail": "no socket has the id ffffffffffffffff",
    }


def test_connections_are_shown_with_their_sockets(agent: AgentProcess, writer: JournalWriter) -> None:
    found = {(c["socket_name"], c["state"]) for c in agent.get("/v1/connections")}
    assert found == {("quotes", "ready"), ("quotes", "disconnected"), ("slow", "retrying")}


def test_lanes_are_shown_at_both_ends(agent: AgentProcess, writer: JournalWriter) -> None:
    lanes: dict[str, Any] = {lane["role"]: lane for lane in agent.get("/v1/lanes")}
    assert (lanes["send"]["topic"], lanes["send"]["count"], lanes["send"]["lost"]) == ("6162", 10, None)
    nothing = {"at_most": 0, "at_least": 0, "oldest_at_least": 0.0, "oldest_at_most": 0.0}
    eventually(lambda: {str(lane["backlog"]) for lane in agent.get("/v1/lanes")} == {str(nothing)})
    received = lanes["receive"]
    assert (received["stream"], received["count"], received["first"], received["next"], received["lost"]) == (
        SENDER,
        6,
        1,
        10,
        3,
    )


def test_events_are_numbered_and_can_be_followed(agent: AgentProcess, writer: JournalWriter) -> None:
    every = agent.get("/v1/events?limit=1000")
    ids = [event["id"] for event in every]
    assert ids == sorted(set(ids))
    first = agent.get("/v1/events?limit=3")
    rest = agent.get(f"/v1/events?limit=1000&after={first[-1]['id']}")
    assert [event for event in first + rest if event["id"] <= ids[-1]] == every
    assert all(event["id"] > ids[-1] for event in agent.get(f"/v1/events?after={ids[-1]}"))
    (gap,) = [event for event in every if event["kind"] == "gap"]
    assert (gap["values"]["first"], gap["values"]["last"], gap["process"]) == (4, 6, writer.process)
    assert "onset" not in {event["kind"] for event in every}


@pytest.mark.parametrize("query", ["after=-1", "limit=0", "limit=100000", "after=x"])
def test_a_bad_query_is_refused(agent: AgentProcess, query: str) -> None:
    assert plain_http.get(f"{agent.url}/v1/events?{query}").status_code == 422


def test_it_is_healthy_and_ready(agent: AgentProcess) -> None:
    assert agent.get("/healthz") == {"ok": True, "reason": None}
    eventually(lambda: plain_http.get(f"{agent.url}/readyz").status_code == 200)


def test_the_interface_is_documented(agent: AgentProcess) -> None:
    paths = agent.get("/openapi.json")["paths"]
    assert {
        "/v1/status",
        "/v1/sockets",
        "/v1/sockets/{identity}",
        "/v1/connections",
        "/v1/lanes",
        "/v1/findings",
    } < set(paths)
    assert plain_http.get(f"{agent.url}/docs").status_code == 200


def test_rates_are_per_second(agent: AgentProcess, writer: JournalWriter) -> None:
    busy = WriterProcess(agent.journal)  # which sleeps for a thousandth of a second after each

    def rate() -> float:
        told = next((s for s in agent.get("/v1/sockets") if s["id"] == busy.socket), None)
        return told["rates"]["sent"] if told and told["counters"]["sent"] > 1000 else 0.0

    try:
        eventually(lambda: 0 < rate() <= 1000)
    finally:
        busy.kill()
    gone = eventually(
        lambda: (
            agent.get(f"/v1/sockets/{busy.socket}")["rates"]["sent"] == 0.0
            and agent.get("/v1/status")["processes"] == 1
        )
    )
    assert gone
