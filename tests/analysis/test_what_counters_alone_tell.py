"""What is known from a counter, or from a sum, and not from a number: it is in the books, and its cause is told only where it is known."""

from typing import Any

import pytest
from landed_folder import LandedFolder, at
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def router(story: LandedFolder, name: str, *, told: int, counted: int, sequence: str | None = None) -> None:
    """It told of so many swallowed messages, in events that double, and had counted more when it was killed."""
    story.socket(name, "ROUTER", sequence=sequence)
    if told:
        story.unroutable(name, 5, number=3, lane=None, messages=told)
    story.counters(name, 6, sent=1000, unroutable=counted)
    story.killed(name, 7)


def swallows_twice(story: LandedFolder) -> None:
    """Its counter has all six at 6 seconds; it tells of the last two at 20.5."""
    story.socket("turnpike", "ROUTER", sequence=None)
    story.unroutable("turnpike", 5, number=3, lane=None, messages=4)
    story.unroutable("turnpike", 20.5, number=7, lane=None, messages=2)
    story.counters("turnpike", 6, sent=50, unroutable=6)
    story.counters("turnpike", 20, sent=50, unroutable=6)
    story.killed("turnpike", 21)


def router_with_a_worker(story: LandedFolder, name: str, *, counted: int) -> None:
    """Stamped, with a worker that misses the last 40 of 100 messages: any of them may be among those counted."""
    worker = f"worker of {name}"
    router(story, name, told=0, counted=counted, sequence="stamp")
    story.socket(worker, "DEALER", closed=20)
    story.link(name, worker, down=7)
    story.sent(name, 100, 6, topic="worker", final=False)
    story.got(worker, name, 60, 0, 59, 19)


def answering(story: LandedFolder, name: str, *, next_: int, **options: int) -> None:
    """A REP that sent 100 answers, of which its REQ got 90; the newest it got was number ``next_`` - 1."""
    asker = f"asker of {name}"
    story.socket(name, "REP", closed=20)
    story.socket(asker, "REQ", closed=30)
    for option, value in options.items():
        story.add("option", asker, 0.05, option=option, value=str(value))
    story.link(name, asker, down=20)
    story.sent(name, 100, 19)
    story.got(asker, name, 90, 0, next_ - 1, 19)


def all_of_them(story: LandedFolder) -> None:
    router(story, "killed", told=512, counted=700)
    router(story, "silent", told=0, counted=30)
    router(story, "in step", told=64, counted=64)
    router(story, "refusing", told=0, counted=30)
    story.add("option", "refusing", 0.1, option="router_mandatory", value="1")
    router_with_a_worker(story, "serving", counted=50)
    router_with_a_worker(story, "serving well", counted=40)
    answering(story, "answers", next_=90)
    answering(story, "overtaken", next_=95)
    answering(story, "hurried", next_=90, req_relaxed=1)


STORIES = (all_of_them, swallows_twice)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def swallowed(report: Json, name: str) -> int:
    found = [item for item in report["incidents"] if item["hop"] == f"{name} → a peer that was not there"]
    assert all((item["cause"], item["certainty"]) == ("unroutable", "exact") for item in found)
    return sum(item["lost"] for item in found)


@pytest.mark.parametrize(
    ("name", "lost"), [("killed", 700), ("silent", 30), ("in step", 64), ("serving", 10), ("serving well", 0)]
)
def test_a_killed_router_swallowed_all_that_it_counted_but_what_receivers_miss_otherwise(
    report: Json, name: str, lost: int
) -> None:
    assert swallowed(report, name) == lost


def test_the_rest_is_told_to_rest_on_a_count(report: Json) -> None:
    [silent] = [item for item in report["incidents"] if item["hop"].startswith("silent →")]
    assert "ended before it had told of each" in evidence_of(silent, "unroutable")["text"]


def test_a_router_that_refuses_has_not_swallowed_what_it_counted(report: Json) -> None:
    assert swallowed(report, "refusing") == 0


def told_at(seconds: float) -> str:
    """Return a time as a report shows it."""
    return at(seconds).isoformat().replace("+00:00", "Z")


def test_messages_were_swallowed_by_the_time_the_counter_had_them(report: Json) -> None:
    (found,) = (each for each in report["incidents"] if each["hop"].startswith("turnpike →"))
    assert found["cause"] == "unroutable"
    assert (found["lost"], found["started_at"], found["ended_at"]) == (6, told_at(5), told_at(6))
    assert "run" not in found["evidence"][0]["text"]


def test_what_lay_in_the_queue_of_a_closed_sender_was_lost_with_it(report: Json) -> None:
    assert [item[1:] for item in incidents(report, "answers")] == [("closed", "exact", 10)]


def test_what_was_overtaken_on_a_way_of_one_pipe_did_not_lie_in_a_queue(report: Json) -> None:
    assert [item[1:] for item in incidents(report, "overtaken")] == [("closed", "exact", 5)]
    assert row(report, "overtaken", "asker of overtaken")["unexplained"] == 5


def test_what_a_relaxed_requester_lacks_it_may_have_thrown_away(report: Json) -> None:
    assert incidents(report, "hurried") == []
    assert row(report, "hurried", "asker of hurried")["unexplained"] == 10


def evidence_of(incident: Json, kind: str) -> dict[str, Any]:
    return next(item for item in incident["evidence"] if item["kind"] == kind)
