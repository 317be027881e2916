"""``/v1/live`` and ``/v1/incidents``: what goes on, and what was lost so far."""

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, eventually
from hopwatch_api.live import CLIENTS
from journal_writer import JournalWriter

SENDER = "00000000000000a1"
RECEIVER = "00000000000000b2"
ROUTER = "00000000000000c3"
SECONDS = 60
"""Enough for anything that comes at all, and less than the agent's 80 s for its end."""


@pytest.fixture(scope="module")
def writer(agent: AgentProcess) -> Iterator[JournalWriter]:
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    writer.opened(ROUTER, slot=2, kind="ROUTER", name="desk")
    eventually(lambda: len(agent.get("/v1/sockets")) == 3)
    yield writer
    writer.close()


def pushed(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(event, data) of each message of a stream."""
    event = ""
    for line in lines:
        if line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield event, json.loads(line.removeprefix("data: "))


def status_of_live(agent: AgentProcess) -> int:
    with plain_http.stream("GET", f"{agent.url}/v1/live", timeout=SECONDS) as answer:
        return answer.status_code


def gap(writer: JournalWriter, first: int, last: int, **keys: int) -> None:
    numbers = {"first": first, "last": last, "before": first - 1, "after": last + 1, "lost": last - first + 1}
    writer.event("gap", socket=RECEIVER, stream=SENDER, lane=0, received=1, **{**numbers, **keys})


def test_losses_of_one_stream_close_in_time_are_one_incident(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    now = time.time_ns()
    writer.event("onset", socket=SENDER, number=4, lane=0, lane_number=4)
    gap(writer, 4, 6, t=now)
    gap(writer, 9, 9, t=now + 10**9)
    writer.event("late", socket=RECEIVER, stream=SENDER, lane=0, number=5)
    gap(writer, 100, 109, t=now + 100 * 10**9)
    writer.event("unroutable", socket=ROUTER, number=1, messages=7, reason="unknown_peer", peer="00")

    found = eventually(lambda: (all_of := agent.get("/v1/incidents")) and len(all_of) == 3 and all_of)

    assert [(i["hop"], i["lost"], i["gaps"], i["cause"]) for i in found] == [
        ("quotes → slow", 3, 2, None),
        ("quotes → slow", 10, 1, None),
        ("desk → its peers", 7, 1, "unroutable"),
    ]
    assert all(incident["preliminary"] for incident in found)
    assert found[0]["evidence"][0]["text"] == "the sender's pipe was full once among its messages 3 to 10"
    assert found[0]["started_at"] < found[0]["ended_at"] < found[1]["started_at"]


def rate_of(data: dict[str, Any]) -> float:
    """At which the sender sends; 0 where it is not told of."""
    rates = [moving["rates"]["sent"] for moving in data["sockets"] if moving["id"] == SENDER]
    assert len(rates) <= 1
    return sum(rates)


def test_live_tells_of_the_agent_rates_and_new_events_each_second(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    writer.set_counters(SENDER, 0, sent=1)
    last = eventually(lambda: agent.get("/v1/events?limit=1000"))[-1]["id"]
    began = time.monotonic()
    with plain_http.stream("GET", f"{agent.url}/v1/live?after={last}", timeout=SECONDS) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        messages = pushed(answer.iter_lines())
        event, first = next(messages)
        assert (event, first["events"], first["status"]["ready"]) == ("live", [], True)
        writer.set_counters(SENDER, 0, sent=1001)
        gap(writer, 200, 201)
        told = [next(messages)[1]]
        while len(told) < 2 or not (any(data["events"] for data in told) and any(map(rate_of, told))):
            assert time.monotonic() - began < SECONDS
            told.append(next(messages)[1])
    assert time.monotonic() - began > 1.5  # it pauses before each but the first
    assert [event["kind"] for data in told for event in data["events"]] == ["gap"]
    assert max(map(rate_of, told)) > 0


def test_who_comes_is_told_of_the_newest_events_and_how_many_were_before(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    before = eventually(lambda: agent.get("/v1/events?limit=1000"))[-1]["id"]
    for number in range(250):
        writer.event("onset", socket=SENDER, number=1000 + number, lane=0, lane_number=number)
    eventually(lambda: len(agent.get(f"/v1/events?after={before}&limit=1000")) == 250)
    with plain_http.stream("GET", f"{agent.url}/v1/live?after={before}", timeout=SECONDS) as answer:
        _, told = next(pushed(answer.iter_lines()))
    numbers = [event["values"]["number"] for event in told["events"]]
    assert (numbers, told["events_left_out"]) == (list(range(1050, 1250)), 50)


def test_those_who_watch_are_bounded_and_who_leaves_is_noticed(agent: AgentProcess) -> None:
    with contextlib.ExitStack() as watching:
        kept = []
        for _ in range(CLIENTS):
            answer = watching.enter_context(plain_http.stream("GET", f"{agent.url}/v1/live", timeout=SECONDS))
            kept.append(answer.iter_lines())  # which closes its answer when it goes
            assert next(kept[-1]) == "event: live"
        answer = plain_http.get(f"{agent.url}/v1/live")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        assert answer.json()["type"] == "tag:hopwatch.dev,2026:no-more-watch"
    eventually(lambda: status_of_live(agent) == 200)


@pytest.fixture
def ending(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    """An agent that the test ends."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path_factory.mktemp("ending"), others)
    agent.start()
    yield agent
    agent.kill()


def test_who_watches_is_told_of_the_end_and_does_not_delay_it(ending: AgentProcess) -> None:
    seen: list[str] = []

    def watch() -> None:
        with plain_http.stream("GET", f"{ending.url}/v1/live", timeout=SECONDS) as answer:
            for event, _ in pushed(answer.iter_lines()):
                seen.append(event)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    eventually(lambda: seen)
    host, port = ending.url.removeprefix("http://").split(":")
    with contextlib.ExitStack() as connections:
        # neither of these ever reads, or says what it wants
        stuck = [
            connections.enter_context(socket.create_connection((host, int(port)), timeout=SECONDS))
            for _ in range(3)
        ]
        stuck[0].sendall(b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stuck[1].sendall(b"GET /v1/sock")
        assert stuck[0].recv(100)
        began = time.monotonic()
        status, _ = ending.terminate()
        watcher.join(SECONDS)
        assert (status, seen[-1]) == (0, "end")
        assert time.monotonic() - began < SECONDS
