"""A system that loses nothing is told so."""

from typing import Any

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_a_healthy_system_has_closed_ledgers_and_no_incident(system: System, judge) -> None:
    proxy = system.start("middle", "proxy", "--in-hwm", 10_000, "--out-hwm", 10_000)
    frontend, backend = proxy.expect("ready")
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    subscribers = [
        system.receiver(name, "--connect", backend, "--subscribe", "") for name in ("left", "right")
    ]
    jobs = system.sender("jobs", "--bind", LOOPBACK, kind="PUSH")
    [jobs_endpoint] = jobs.expect("ready")
    workers = [system.receiver(name, "--connect", jobs_endpoint, kind="PULL") for name in ("one", "two")]
    answers = system.start(
        "middle", "replier", "--name", "answers", "--truth", system.truth_folder, "--bind", LOOPBACK
    )
    [answers_endpoint] = answers.expect("ready")
    asking = ("--name", "questions", "--truth", system.truth_folder, "--connect", answers_endpoint)
    questions = system.start("upstream", "requester", *asking)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.tell("send", 2000, 0.0005)
    jobs.tell("send", 2000, 0.0005)
    questions.tell("ask", 500)
    for program, event in ((quotes, "sent"), (jobs, "sent"), (questions, "asked")):
        program.expect(event)
    for receiver in (*subscribers, *workers):
        receiver.ask("finish", event="finished")
    for program in (quotes, jobs, questions, answers, *subscribers, *workers):
        program.close()
    proxy.terminate_at_rest()

    ways = [
        Way("quotes", "left"),
        Way("quotes", "right"),
        Way("jobs", "one", lost_of_share=0),
        Way("jobs", "two", lost_of_share=0),
        Way("questions", "answers"),
        Way("answers", "questions"),
    ]
    truth = system.truth()
    assert not any(truth.missing(way.sender, way.receiver) for way in ways if way.lost_of_share is None)
    assert truth.owed("jobs") == truth.got("one", "jobs") | truth.got("two", "jobs")
    judge(ways, {}, also=no_incident)


def no_incident(report: dict[str, Any]) -> None:
    assert report["incidents"] == []
