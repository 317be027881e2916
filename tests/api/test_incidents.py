"""``/v1/incidents``: what an analysis has found, beside what this agent knows that none has judged."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.report.file import LARGEST_REPORT
from journal_writer import JournalWriter
from reports import end, entry, hop, incident, now, report, write

SENDER = "00000000000000a1"
RECEIVER = "00000000000000b2"
OTHER = "00000000000000c3"
ROUTER = "00000000000000d4"
FROM, TO = end("quotes", SENDER, "PUB"), end("slow", RECEIVER, "SUB")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    """An agent that reads the reports in ``out``."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path, {**others, "HOPWATCH_AGENT_REPORT": str(tmp_path / "out")})
    agent.start()
    yield agent
    agent.kill()


@pytest.fixture
def writer(agent: AgentProcess) -> Iterator[JournalWriter]:
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    writer.opened(OTHER, slot=2, kind="SUB", name="other")
    writer.opened(ROUTER, slot=3, kind="ROUTER", name="desk")
    yield writer
    writer.close()


def lose(writer: JournalWriter, first: int, last: int, socket: str = RECEIVER) -> None:
    numbers = {"first": first, "last": last, "before": first - 1, "after": last + 1, "lost": last - first + 1}
    writer.event("gap", socket=socket, stream=SENDER, lane=0, received=1, **numbers)


def told(agent: AgentProcess, query: str = "") -> list[tuple[str, str, int]]:
    return [(i["source"], i["hop"], i["lost"]) for i in agent.get(f"/v1/incidents{query}")]


def error_of(agent: AgentProcess) -> str:
    errors = agent.get("/v1/status")["errors"]
    return next((error["text"] for error in errors if error["source"] == "report"), "")


def warning_of(agent: AgentProcess) -> str:
    warnings = agent.get("/v1/status")["warnings"]
    return next((warning["text"] for warning in warnings if warning["source"] == "report"), "")


OWN = ("agent", "quotes → slow", 3)
ANALYSED = ("analysis", "quotes → slow", 10)
LONG_AGO = ("analysis", "long ago", 10)


def long_ago() -> dict[str, Any]:
    """What shows that the report with it has been read."""
    return incident("long ago", ROUTER, now(-7200), now(-7100))


def test_both_sources_tell_the_same_fields_and_null_what_they_do_not_know(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    eventually(lambda: told(agent) == [OWN])
    early = now(-7200), now(-7100)
    write(
        tmp_path / "out",
        report(*early, hops=[hop(FROM, TO)], incidents=[incident("quotes → slow", SENDER, *early)]),
    )
    eventually(lambda: told(agent) == [ANALYSED, OWN])

    analysed, own = agent.get("/v1/incidents")

    assert list(analysed) == list(own)
    assert (analysed["preliminary"], analysed["cause"], analysed["certainty"]) == (
        False,
        "slow_receiver",
        "inferred",
    )
    assert analysed["from"] == {**FROM, "place": None}
    assert analysed["to"] == {**TO, "place": None}
    assert (analysed["socket"], analysed["stream"], analysed["host"]) == (RECEIVER, SENDER, "web-1")
    assert (analysed["streams"], analysed["advice"]) == ([SENDER], ["Make it faster."])
    assert analysed["evidence"] == [{"kind": "rates", "text": "it reads more slowly than it is sent"}]
    assert (analysed["id"], analysed["lanes"], analysed["gaps"]) == (None, None, None)
    written = (tmp_path / "out" / "report.json").stat().st_mtime
    assert analysed["analysed_at"].startswith(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(written)))

    assert (own["preliminary"], own["cause"], own["advice"], own["analysed_at"]) == (True, None, None, None)
    assert (own["from"]["name"], own["to"]["name"], own["streams"]) == ("quotes", "slow", [SENDER])
    assert own["to"]["process"] == writer.process


def test_what_an_analysis_has_judged_is_told_by_it_alone(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    lose(writer, 4, 8, OTHER)
    writer.event("unroutable", socket=ROUTER, number=1, messages=7, reason="unknown_peer", peer="00")
    desk = ("agent", "desk → its peers", 7)
    eventually(lambda: sorted(told(agent)) == sorted([OWN, ("agent", "quotes → other", 5), desk]))
    window = now(-60), now(1)

    # of the other receiver's losses it knows no cause: nobody else would tell of them
    books = [entry(SENDER, RECEIVER), entry(SENDER, OTHER, unexplained=5)]
    found = [incident("quotes → slow", SENDER, now(-50), now())]
    write(tmp_path / "out", report(*window, hops=[hop(FROM, TO)], ledger=books, incidents=found))

    eventually(lambda: told(agent) == [ANALYSED, ("agent", "quotes → other", 5), desk])
    swallowed = incident("desk → a peer that was not there", ROUTER, now(-50), now(), cause="unroutable")
    books = [entry(SENDER, RECEIVER), entry(SENDER, OTHER)]
    write(
        tmp_path / "out", report(*window, hops=[hop(FROM, TO)], ledger=books, incidents=[*found, swallowed])
    )
    analysed = [ANALYSED, ("analysis", "desk → a peer that was not there", 10)]
    eventually(lambda: sorted(told(agent)) == sorted(analysed))


@pytest.mark.parametrize(
    "reason", ["before", "behind", "not all landed", "of others", "in flight", "of another receiver"]
)
def test_what_an_analysis_cannot_know_stays(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path, reason: str
) -> None:
    lose(writer, 4, 6)
    eventually(lambda: told(agent) == [OWN])
    window = now(-60), now(1)
    parts = {"ledger": [entry(SENDER, RECEIVER)], "incidents": [long_ago()]}
    if reason == "before":
        window = now(-60), now(-50)
    elif reason == "behind":
        parts["hosts_behind"] = [{"host": "web-1", "newest_event": "2026-01-01T00:00:00Z", "behind_by_ms": 9}]
    elif reason == "not all landed":
        parts["ledger"] = [entry(SENDER, RECEIVER, lost=2)]
    elif reason == "of others":
        parts["ledger"] = [entry(OTHER, RECEIVER), entry(SENDER, OTHER)]
    elif reason == "in flight":
        parts["ledger"] = [entry(SENDER, RECEIVER, in_flight=3)]
    else:
        parts["ledger"] = [entry(SENDER, RECEIVER, unexplained=1)]
        parts["hops"] = [hop(FROM, end("other", OTHER, "SUB"))]
        parts["incidents"] += [incident("quotes → other", SENDER, now(-50), now())]

    write(tmp_path / "out", report(*window, **parts))

    shown = eventually(lambda: LONG_AGO in (shown := told(agent)) and shown)
    assert OWN in shown


def test_a_loss_that_came_after_all_is_told_by_nobody(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    eventually(lambda: told(agent) == [OWN])
    write(tmp_path / "out", report(now(-60), now(100), ledger=[entry(SENDER, RECEIVER, lost=0)]))
    eventually(lambda: told(agent) == [])


def test_times_of_a_host_whose_clock_is_ahead_are_told_by_the_others(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    eventually(lambda: told(agent) == [OWN])
    clocks = [{"host": "web-1", "ahead_by_ms": 3_600_000}]
    parts = {"ledger": [entry(SENDER, RECEIVER)], "clocks": clocks}
    write(tmp_path / "out", report(now(-60), now(1), incidents=[long_ago()], **parts))
    shown = eventually(lambda: LONG_AGO in (shown := told(agent)) and shown)
    assert shown == [LONG_AGO, OWN]
    write(tmp_path / "out", report(now(-3660), now(-3599), **parts))
    eventually(lambda: told(agent) == [])


def test_what_is_lost_after_a_report_is_a_new_incident(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    eventually(lambda: told(agent) == [OWN])
    write(tmp_path / "out", report(now(-60), now(1), ledger=[entry(SENDER, RECEIVER)]))
    eventually(lambda: told(agent) == [])
    deadline = now(1)
    eventually(lambda: now() > deadline)
    lose(writer, 20, 21)
    eventually(lambda: told(agent) == [("agent", "quotes → slow", 2)])


def test_a_report_that_cannot_be_used_is_an_error_and_the_last_good_one_stays(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    file = tmp_path / "out" / "report.json"
    awaited = eventually(lambda: warning_of(agent))
    assert f"no analysis has written {file} yet; until one can be used" in awaited
    assert error_of(agent) == ""
    assert told(agent) == []

    early = now(-7200), now(-7100)
    write(
        file.parent,
        report(*early, hops=[hop(FROM, TO)], incidents=[incident("quotes → slow", SENDER, *early)]),
    )
    eventually(lambda: told(agent) == [ANALYSED])
    eventually(lambda: error_of(agent) == warning_of(agent) == "")

    spoilt: list[tuple[Any, str]] = [
        ("{", "it is no report of hopwatch analyze that this agent can read"),
        ({"window": {"from": None, "to": None}}, "missing required field `hops`"),
        (report(*early, incidents=[{"hop": 7}]), "it is no report of hopwatch analyze"),
        (" " * (LARGEST_REPORT + 1), f"and {LARGEST_REPORT:,} at most are read"),
    ]
    for content, fault in spoilt:
        write(file.parent, content)
        text = eventually(lambda: fault in error_of(agent) and error_of(agent))  # noqa: B023
        assert text.startswith(f"cannot use the analysis' report {file}: ")
        assert "goes on to be told" in text
        assert told(agent) == [ANALYSED]

    file.unlink()
    eventually(lambda: "there is no such file" in error_of(agent))
    file.mkdir()
    eventually(lambda: "it is no regular file" in error_of(agent))
    assert told(agent) == [ANALYSED]
    file.rmdir()
    write(file.parent, report(*early))
    eventually(lambda: told(agent) == [])
    eventually(lambda: error_of(agent) == "")


def test_incidents_by_what_they_are_and_in_pages(
    agent: AgentProcess, writer: JournalWriter, tmp_path: Path
) -> None:
    lose(writer, 4, 6)
    lose(writer, 4, 8, OTHER)
    found = [
        incident("quotes → slow", SENDER, now(-7000 + number), now(-6990 + number), lost=number)
        for number in range(5)
    ]
    found.append(
        incident("a → b", OTHER, now(-7000), now(-6990), cause="closed", started_at=None, ended_at=None)
    )
    write(tmp_path / "out", report(now(-7200), now(-6900), incidents=found))
    eventually(lambda: len(told(agent)) == 8)

    whole = told(agent)
    assert [lost for _, _, lost in whole] == [10, 0, 1, 2, 3, 4, 3, 5]
    path, paged = "/v1/incidents?limit=3", []
    while path:
        answer = plain_http.get(agent.url + path)
        paged += [(i["source"], i["hop"], i["lost"]) for i in answer.json()]
        path = answer.links["next"]["url"] if "next" in answer.links else ""
    assert paged == whole

    assert told(agent, "?cause=closed") == [("analysis", "a → b", 10)]
    assert {source for source, _, _ in told(agent, "?source=agent")} == {"agent"}
    assert len(told(agent, "?hop=quotes&source=analysis")) == 5
    since = now(-60).isoformat().replace("+00:00", "Z")
    assert len(told(agent, f"?since={since}")) == 3
    assert len(told(agent, "?since=2026-01-01T00:00:00Z")) == 8
    for query in (
        "cause=bad",
        "source=me",
        "since=yesterday",
        "since=1700000000",
        "since=2026-01-01T00:00:00",
    ):
        answer = plain_http.get(f"{agent.url}/v1/incidents?{query}")
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["name"]) == (422, query.split("=")[0])

    tag = plain_http.get(f"{agent.url}/v1/incidents").headers["etag"]
    again = plain_http.get(f"{agent.url}/v1/incidents", headers={"If-None-Match": tag})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


def test_ends_of_one_name_are_told_apart_by_their_types(agent: AgentProcess, writer: JournalWriter) -> None:
    sender, receiver = f"{21:016x}", f"{22:016x}"
    writer.opened(sender, slot=4, name="app")
    writer.opened(receiver, slot=5, kind="SUB", name="app")
    numbers = {"first": 4, "last": 6, "before": 3, "after": 7, "lost": 3, "received": 1}
    writer.event("gap", socket=receiver, stream=sender, lane=0, **numbers)
    eventually(lambda: told(agent) == [("agent", "app (PUB) → app (SUB)", 3)])
