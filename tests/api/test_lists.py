"""Lists: whole, or page by page while sockets come and go, and those that a filter leaves."""

from collections.abc import Iterator
from typing import Any, get_args

import httpx
import plain_http
import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.landing.schemas import KINDS, SAMPLES
from hopwatch_api.v1.words import EventKind
from journal_writer import COUNTER_NAMES, JournalWriter

SOCKETS = 12
START = 1_700_000_000_000_000_000
"""Nanoseconds since 1970: what sockets that are so old have lost, they may have lost long ago."""
LISTS = ("sockets", "connections", "lanes", "findings")


def identity(number: int) -> str:
    return f"{number:016x}"


def open_one(writer: JournalWriter, number: int) -> None:
    """A socket with a connection, an endpoint that is not reached, a lane and a finding; every third is a SUB that has lost."""
    socket = identity(number)
    loses = number % 3 == 0
    kind, lost = ("SUB", 7) if loses else ("PUB", 0)
    writer.opened(socket, slot=number, kind=kind, name=f"s{number % 4}", t=START + number % 5, lost=lost)
    link = {"endpoint": "tcp://192.0.2.2:5555", "accepted": False, "sent": 0, "received": 0}
    ends = {"local": "192.0.2.1:40001", "remote": "192.0.2.2:5555"}
    writer.event("connected", socket=socket, connection=1, **link, **ends)
    writer.event("retried", socket=socket, endpoint="tcp://127.0.0.1:1")
    stream = identity(1) if loses else socket
    writer.event("lane", socket=socket, stream=stream, lane=0, topic="6162", slot=[0, number])
    writer.event(
        "finding", socket=socket, rule="no_linger" if loses else "uneven_marks", text="t", advice="a"
    )


@pytest.fixture(scope="module")
def writer(agent: AgentProcess) -> Iterator[JournalWriter]:
    writer = JournalWriter(agent.journal)
    for number in range(1, SOCKETS + 1):
        open_one(writer, number)
    eventually(lambda: len(agent.get("/v1/findings")) == SOCKETS)
    eventually(lambda: len(agent.get("/v1/sockets?lost=true")) == SOCKETS // 3)
    yield writer
    writer.close()


def pages(agent: AgentProcess, path: str) -> Iterator[list[Any]]:
    """One page after the other, as the Link headers lead."""
    while True:
        answer = plain_http.get(agent.url + path)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        if "next" not in answer.links:
            return
        path = answer.links["next"]["url"]


def known_by(row: dict[str, Any]) -> tuple[Any, ...]:
    """What does not change of it from one second to the next."""
    return tuple(
        row.get(name) for name in ("id", "socket", "connection", "endpoint", "stream", "lane", "rule")
    )


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("limit", [1, 5, 1000])
def test_pages_come_to_the_whole_list(
    agent: AgentProcess, writer: JournalWriter, name: str, limit: int
) -> None:
    whole = [known_by(row) for row in agent.get(f"/v1/{name}")]
    found = list(pages(agent, f"/v1/{name}?limit={limit}"))
    assert len(whole) == (2 * SOCKETS if name == "connections" else SOCKETS)
    assert [known_by(row) for page in found for row in page] == whole
    assert all(len(page) == limit for page in found[:-1])
    assert 0 < len(found[-1]) <= limit


def test_a_list_that_is_not_asked_for_in_pages_leads_nowhere(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    assert "link" not in plain_http.get(f"{agent.url}/v1/sockets").headers


def test_a_filter_holds_on_each_page(agent: AgentProcess, writer: JournalWriter) -> None:
    found = [row for page in pages(agent, "/v1/sockets?limit=1&type=SUB&lost=true") for row in page]
    assert {row["id"] for row in found} == {identity(number) for number in (3, 6, 9, 12)}
    assert len(found) == 4


def test_events_lead_to_the_next_ones(agent: AgentProcess, writer: JournalWriter) -> None:
    whole = agent.get("/v1/events?limit=1000&kind=finding")
    found = [row for page in pages(agent, "/v1/events?limit=5&kind=finding") for row in page]
    assert found == whole
    assert len(whole) == SOCKETS
    (one,) = agent.get(f"/v1/events?limit=1000&kind=finding&socket={identity(3)}")
    assert one["values"]["rule"] == "no_linger"


def test_the_newest_events_are_those_at_the_end_and_lead_nowhere(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    whole = agent.get("/v1/events?limit=1000&kind=finding")
    answer = plain_http.get(f"{agent.url}/v1/events?limit=5&kind=finding&newest=true")
    assert answer.json() == whole[-5:]
    assert "next" not in answer.links
    after = whole[-3]["id"]
    assert agent.get(f"/v1/events?kind=finding&newest=true&after={after}") == whole[-2:]


def test_kinds_of_events_are_those_that_there_are() -> None:
    assert set(get_args(EventKind)) == set(KINDS) - SAMPLES


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("type=SUB", (3, 6, 9, 12)),
        ("type=PUSH", ()),
        ("name=s1", (1, 5, 9)),
        ("name=s", ()),
        ("lost=false&name=s1", (1, 5)),
        ("state=pressed", ()),
        ("host=web-1&name=s2", (2, 6, 10)),
        ("host=elsewhere", ()),
    ],
)
def test_sockets_by_what_they_are(
    agent: AgentProcess, writer: JournalWriter, query: str, numbers: tuple[int, ...]
) -> None:
    found = {row["id"] for row in agent.get(f"/v1/sockets?{query}")}
    assert found == {identity(number) for number in numbers}


def test_sockets_by_how_they_do(agent: AgentProcess, writer: JournalWriter) -> None:
    def told(query: str) -> set[str]:
        return {row["id"] for row in agent.get(f"/v1/sockets?{query}")}

    assert told("losing=true") == set()
    assert identity(3) in told("losing=false&lost=true&state=quiet")
    writer.set_counters(identity(3), 3, lost=8)
    eventually(lambda: told("losing=true") == told("state=losing") == {identity(3)})
    assert identity(3) not in told("losing=false")
    assert all(row["state"] == "losing" for row in agent.get("/v1/sockets?losing=true"))


def test_sockets_of_a_process(agent: AgentProcess, writer: JournalWriter) -> None:
    pid = agent.get(f"/v1/sockets/{identity(1)}")["process"]["pid"]
    assert len(agent.get(f"/v1/sockets?pid={pid}")) == SOCKETS
    assert agent.get(f"/v1/sockets?pid={pid + 1}") == []


def test_connections_lanes_and_findings_by_what_they_are(agent: AgentProcess, writer: JournalWriter) -> None:
    connected = agent.get("/v1/connections?state=connected")
    assert {row["state"] for row in connected} == {"connected"}
    assert len(connected) == SOCKETS
    both = agent.get(f"/v1/connections?socket={identity(4)}")
    assert {(row["socket"], row["state"]) for row in both} == {
        (identity(4), "connected"),
        (identity(4), "retrying"),
    }
    received = agent.get("/v1/lanes?role=receive")
    assert {row["socket"] for row in received} == {identity(number) for number in (3, 6, 9, 12)}
    of_one = agent.get(f"/v1/lanes?stream={identity(1)}")
    assert {row["role"] for row in of_one} == {"send", "receive"}
    found = agent.get(f"/v1/findings?socket={identity(2)}")
    assert {one["socket"] for one in found} == {identity(2)}
    assert "uneven_marks" in {one["rule"] for one in found}
    assert len(agent.get("/v1/findings?rule=no_linger")) == 4


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("sockets?type=PUBB", "type", "one of PAIR, PUB, SUB"),
        ("sockets?open=perhaps", "open", "one of true, false"),
        ("sockets?limit=0", "limit", "a whole number from 1 to 10000"),
        ("sockets?limit=10001", "limit", "a whole number from 1 to 10000"),
        ("sockets?cursor=x", "cursor", "from the Link header of a page of this list"),
        (f"lanes?cursor=1-{identity(1)}", "cursor", "from the Link header of a page of this list"),
        ("connections?state=up", "state", "one of connected, ready, disconnected, retrying, refused"),
        ("lanes?role=both", "role", "one of send, receive, count"),
        ("lanes?stream=1", "stream", "id of the stream, 16 hex digits"),
        ("findings?socket=quotes", "socket", "id of the socket, 16 hex digits"),
        ("events?kind=lane", "kind", "one of process, place, socket"),
        ("findings?type=PUB", "type", "limit, cursor, socket, rule"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_can(
    agent: AgentProcess, path: str, name: str, told: str
) -> None:
    answer = plain_http.get(f"{agent.url}/v1/{path}")
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["name"] == name
    assert error["allowed"].startswith(told)


def close_one(writer: JournalWriter, number: int) -> None:
    counters = dict.fromkeys(COUNTER_NAMES, 0)
    writer.event("closed", socket=identity(number), counters=counters)


def test_who_stays_is_told_once_whoever_comes_and_goes_meanwhile(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    before = {row["id"] for row in agent.get("/v1/sockets?open=true")}
    told: list[str] = []
    leaving = [identity(number) for number in (2, 11, 7)]
    coming = iter(range(20, 30))
    for page in pages(agent, "/v1/sockets?open=true&limit=2"):
        told += [row["id"] for row in page]
        if leaving:
            gone, new = leaving.pop(), next(coming)
            close_one(writer, int(gone, 16))
            open_one(writer, new)
            eventually(lambda: gone not in {row["id"] for row in agent.get("/v1/sockets?open=true")})  # noqa: B023
            eventually(lambda: agent.get(f"/v1/findings?socket={identity(new)}"))  # noqa: B023
    stayed = before - {identity(number) for number in (2, 11, 7)}
    assert not leaving
    assert len(told) == len(set(told))
    assert stayed <= set(told)
    assert {identity(number) for number in (2, 11, 7)} & {
        row["id"] for row in agent.get("/v1/sockets?open=false")
    } == {identity(number) for number in (2, 11, 7)}


def test_an_answer_that_is_still_the_same_is_not_sent_again(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    for path in ("/v1/connections", "/v1/events?limit=3", "/openapi.json", "/docs"):
        first = plain_http.get(agent.url + path)
        assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache")
        tag = first.headers["etag"]
        for given in (tag, f'W/{tag}, "other"', "*"):
            again = plain_http.get(agent.url + path, headers={"If-None-Match": given})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
            assert again.headers["cache-control"] == "no-cache"
        assert plain_http.get(agent.url + path, headers={"If-None-Match": '"other"'}).content == first.content


def test_an_answer_that_changes_is_sent(agent: AgentProcess, writer: JournalWriter) -> None:
    first = plain_http.get(f"{agent.url}/v1/connections")
    writer.event("retried", socket=identity(1), endpoint="tcp://127.0.0.1:2")

    def again() -> httpx.Response:
        return plain_http.get(f"{agent.url}/v1/connections", headers={"If-None-Match": first.headers["etag"]})

    eventually(lambda: again().status_code == 200)
    assert again().headers["etag"] != first.headers["etag"]


@pytest.mark.parametrize("path", ["/v1/status", "/v1/sockets", "/v1/lanes", "/healthz"])
def test_what_moves_each_second_is_kept_by_nobody(agent: AgentProcess, path: str) -> None:
    answer = plain_http.get(agent.url + path)
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers
