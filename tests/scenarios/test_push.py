"""PUSH → PULL: messages are shared out, and what a receiver takes down with it is lost."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario


def test_what_a_killed_pull_had_not_read_is_lost_with_it(system: System, judge) -> None:
    jobs = system.sender("jobs", "--bind", LOOPBACK, "--sndhwm", 10, kind="PUSH")
    [endpoint] = jobs.expect("ready")
    inbox = ("--connect", endpoint, "--rcvhwm", 10, "--rcvbuf", 4096)
    survivor = system.receiver("survivor", *inbox, kind="PULL")
    victim = system.receiver("victim", *inbox, "--pause-after", 200, kind="PULL", host="edge")

    jobs.tell("send", 2000, 0.001)
    victim.expect("paused")
    system.await_sent("jobs", 1000)
    victim.sigkill()
    jobs.expect("sent")
    survivor.ask("finish", event="finished")
    jobs.close()
    survivor.close()

    truth = system.truth()
    lost = len(truth.owed("jobs") - truth.got("survivor", "jobs") - truth.got("victim", "jobs"))
    judge(
        [Way("jobs", "survivor", lost_of_share=0), Way("jobs", "victim", lost_of_share=lost)],
        {("jobs → victim", "receiver_died"): lost},
        exact=[("jobs → victim", "receiver_died")],
    )


def test_a_push_that_closed_cleanly_still_loses_at_a_low_rcvhwm(system: System, judge) -> None:
    endpoint = f"ipc://{system.folder}/jobs"
    about_it = ("--type", "PUSH", "--name", "jobs", "--truth", system.truth_folder)
    jobs = system.start("upstream", "sender", *about_it, "--bind", endpoint)
    jobs.expect("ready")
    worker = system.receiver("worker", "--connect", endpoint, "--rcvhwm", 1, "--pause-after", 3, kind="PULL")
    worker.expect("ready")

    jobs.ask("send", 10, 0.02, event="sent")
    worker.expect("paused")
    jobs.close()
    worker.ask("finish", event="finished")
    worker.close()

    lost = len(
        system.truth().missing("jobs", "worker")
    )  # 5, or less where a busy machine reads several at once
    closed = ("jobs → worker", "closed")
    larger = "RCVHWM of worker (1) should be at least as large as what can be unread when jobs closes"
    judge(
        [Way("jobs", "worker", lost_of_share=lost)], {closed: lost}, exact=[closed], advice={"closed": larger}
    )
