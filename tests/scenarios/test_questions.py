"""REQ and REP that lose: a question dies with who was asked, and an answer that comes too late is thrown away."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from judgement import Way
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

ASKED, HURRIED = 50, 20


def replier(system: System, name: str) -> tuple[Program, str]:
    program = system.start(
        "edge", "replier", "--name", name, "--truth", system.truth_folder, "--bind", LOOPBACK
    )
    return program, program.expect("ready")[0]


def requester(system: System, name: str, endpoint: str, *arguments: str) -> Program:
    asking = ("--name", name, "--truth", system.truth_folder, "--connect", endpoint)
    program = system.start("upstream", "requester", *asking, *arguments)
    program.expect("ready")
    return program


def all_noted(system: System, repliers: Iterable[str], requesters: Iterable[str]) -> None:
    """Wait until each replier has noted down the answers that came: it does so when it has sent one, and may be frozen in between."""
    truth, asked_by = system.truth(), list(requesters)
    for name in repliers:
        system.await_sent(name, sum(len(truth.got(requester, name)) for requester in asked_by))


def test_a_question_is_lost_with_who_was_asked_and_had_not_looked_at_it(system: System, judge) -> None:
    answers, endpoint = replier(system, "answers")
    questions = requester(system, "questions", endpoint, "--linger", "0")
    others, other_endpoint = replier(system, "other-answers")
    healthy = requester(system, "other-questions", other_endpoint)
    for program in (questions, healthy):
        program.ask("ask", ASKED, event="asked")
    all_noted(system, ["answers"], ["questions"])
    answers.freeze()
    questions.ask("send", 1, event="sent")
    answers.sigkill()
    for program in (questions, healthy, others):
        program.close()

    assert len(system.truth().missing("questions", "answers")) == 1
    ways = [
        Way("questions", "answers"),
        Way("answers", "questions"),
        Way("other-questions", "other-answers"),
        Way("other-answers", "other-questions"),
    ]
    judge(ways, {("questions → answers", "receiver_died"): 1})


def test_answers_that_a_hurried_requester_no_longer_waits_for_are_not_said_to_be_lost_at_its_closing(
    system: System, when_told
) -> None:
    answers, endpoint = replier(system, "answers")
    questions = requester(system, "questions", endpoint, "--relaxed")
    questions.ask("ask", ASKED, event="asked")
    questions.ask("send", HURRIED, event="sent")
    questions.ask("ask", 1, event="asked")
    questions.ask("send", HURRIED, event="sent")
    system.await_sent("answers", ASKED + HURRIED + 1 + HURRIED)
    for program in (questions, answers):
        program.close()

    truth = system.truth()
    thrown_away = len(truth.missing("answers", "questions"))
    assert thrown_away > 0
    assert truth.missing("questions", "answers") == set()

    def is_unexplained(report: dict[str, Any]) -> None:
        rows = {row["name"]: row for row in report["ledger"]}
        assert rows["answers"]["unexplained"] == thrown_away
        assert rows["questions"]["delivered"] == rows["questions"]["sent"]
        assert report["incidents"] == []

    when_told(is_unexplained)


def test_through_a_queue_proxy_no_question_and_no_answer_is_left_out_of_the_books(
    system: System, when_told
) -> None:
    queue = system.start("middle", "proxy", "--name", "queue", "--types", "ROUTER", "DEALER")
    frontend, backend = queue.expect("ready")
    workers = {}
    for name in ("steady", "victim"):
        connected = ("--name", name, "--truth", system.truth_folder, "--connect", backend)
        workers[name] = system.start("edge", "replier", *connected)
        workers[name].expect("ready")
    askers = {name: requester(system, name, frontend, "--linger", "0") for name in ("asker", "other-asker")}
    for asker in askers.values():
        asker.ask("ask", ASKED, event="asked")
    all_noted(system, workers, askers)
    workers["victim"].freeze()
    for asker in askers.values():
        asker.ask("send", 1, event="sent")
    workers["victim"].sigkill()
    for program in (*askers.values(), workers["steady"]):
        program.close()
    queue.terminate_at_rest()

    truth = system.truth()
    missing = {
        sender: len(truth.owed(sender)) - sum(len(truth.got(receiver, sender)) for receiver in receivers)
        for senders, receivers in ((askers, workers), (workers, askers))
        for sender in senders
    }
    assert sum(missing.values()) == len(askers)

    def is_in_the_books(report: dict[str, Any]) -> None:
        told = Counter[str]()
        for row in report["ledger"]:
            told[row["name"]] += row["lost"] + row["unexplained"]
        assert told == missing
        for incident in report["incidents"]:
            killed = incident["hop"] == "queue → victim"
            assert killed or incident["hop"] in {"queue → asker", "queue → other-asker"}
            assert incident["cause"] == ("receiver_died" if killed else "closed")

    when_told(is_in_the_books)
