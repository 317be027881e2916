"""REQ and REP that lose: a question dies with who was asked, and an answer that comes too late is thrown away."""

import pytest
from judgement import Way, assert_balanced
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


def test_a_question_is_lost_with_who_was_asked_and_had_not_looked_at_it(system: System, judge) -> None:
    answers, endpoint = replier(system, "answers")
    questions = requester(system, "questions", endpoint, "--linger", "0")
    others, other_endpoint = replier(system, "other-answers")
    healthy = requester(system, "other-questions", other_endpoint)
    for program in (questions, healthy):
        program.ask("ask", ASKED, event="asked")
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
    system: System, analyze
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

    folders, truth = system.landed_folders(), system.truth()
    thrown_away = len(truth.missing("answers", "questions"))
    assert thrown_away > 0
    assert truth.missing("questions", "answers") == set()
    report = analyze(folders)
    assert_balanced(report)
    rows = {row["name"]: row for row in report["ledger"]}
    assert rows["answers"]["unexplained"] == thrown_away
    assert rows["questions"]["delivered"] == rows["questions"]["sent"]
    assert report["incidents"] == []
