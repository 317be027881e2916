"""Jobs that are shared out over a connection that is cut, and by a proxy; and proxies side by side."""

import pytest
from judgement import Way
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)
ROOMY = ("--rcvhwm", 10_000)
TAKEN_ALONG = 20


def test_what_a_cut_cost_is_told_from_what_the_worker_took_along_later(system: System, judge) -> None:
    jobs = system.sender("jobs", "--bind", LOOPBACK, "--sndhwm", 1000, "--size", 20_000, kind="PUSH")
    [endpoint] = jobs.expect("ready")
    relay = system.start("upstream", "relay", "--target-port", endpoint.rpartition(":")[2])
    [port] = relay.expect("ready")
    through = ("--connect", f"tcp://127.0.0.1:{port}", "--delay", 0.004, *SMALL_INBOX)
    worker = system.receiver("worker", *through, kind="PULL", host="edge")
    jobs.ask("send", 1, 0, event="sent")
    worker.expect("first")

    jobs.ask("send", 500, 0.0005, event="sent")
    relay.ask("cut", event="cut")
    relay.ask("mend", event="mended")
    jobs.ask("send", 200, 0.005, event="sent")
    worker.ask("finish", event="finished")
    worker.ask("pause", event="paused")
    jobs.ask("send", TAKEN_ALONG, 0.005, event="sent")
    worker.sigkill()
    system.await_parted("upstream", "jobs")
    for program in (jobs, relay):
        program.close()

    lost = system.truth().missing("jobs", "worker")
    assert len(lost) > TAKEN_ALONG
    judge(
        [Way("jobs", "worker", lost_of_share=len(lost))],
        {
            ("jobs → worker", "reconnect"): len(lost) - TAKEN_ALONG,
            ("jobs → worker", "receiver_died"): TAKEN_ALONG,
        },
        exact=[("jobs → worker", "receiver_died")],
    )


def test_behind_a_proxy_that_shares_out_a_killed_worker_takes_its_own_along(system: System, judge) -> None:
    streamer = system.start("middle", "proxy", "--name", "streamer", "--types", "PULL", "PUSH")
    frontend, backend = streamer.expect("ready")
    jobs = system.sender("jobs", "--connect", frontend, kind="PUSH")
    inbox = ("--connect", backend, *SMALL_INBOX)
    steady = system.receiver("steady", *inbox, kind="PULL")
    victim = system.receiver("victim", *inbox, kind="PULL", host="edge")
    for worker in (steady, victim):
        worker.expect("ready")

    jobs.ask("send", 190, 0.005, event="sent")
    for worker in (steady, victim):
        worker.expect("first")
    victim.ask("pause", event="paused")
    jobs.ask("send", 2 * TAKEN_ALONG, 0.005, event="sent")
    victim.sigkill()
    jobs.ask("send", 100, 0.005, event="sent")
    steady.ask("finish", event="finished")
    for program in (jobs, steady):
        program.close()
    streamer.terminate_at_rest()

    truth = system.truth()
    lost = len(truth.owed("jobs") - truth.got("steady", "jobs") - truth.got("victim", "jobs"))
    assert lost > 0
    judge(
        [Way("jobs", "steady", lost_of_share=0), Way("jobs", "victim", lost_of_share=lost)],
        {("streamer → victim", "receiver_died"): lost},
        exact=[("streamer → victim", "receiver_died")],
    )


def test_of_two_proxies_side_by_side_the_one_that_drops_is_told(system: System, judge) -> None:
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 10_000)
    [endpoint] = quotes.expect("ready")
    upstream = ("--upstream", endpoint, "--in-hwm", 10_000)
    left = system.start("middle", "proxy", "--name", "left", *upstream, "--out-hwm", 10_000)
    right = system.start("other-middle", "proxy", "--name", "right", *upstream, "--out-hwm", 300)
    _, left_end = left.expect("ready")
    _, right_end = right.expect("ready")
    near = system.receiver("near", "--connect", left_end, "--subscribe", "", *ROOMY)
    far = system.receiver("far", "--connect", right_end, "--subscribe", "", "--delay", 0.004, *SMALL_INBOX)
    quotes.ask("await-subscriptions", 3, event="subscribed")

    quotes.ask("send", 2500, 0.0005, event="sent")
    for receiver in (near, far):
        receiver.ask("finish", event="finished")
    for program in (quotes, near, far):
        program.close()
    for proxy in (left, right):
        proxy.terminate_at_rest()

    truth = system.truth()
    assert not truth.missing("quotes", "near")
    judge(
        [Way("quotes", name) for name in ("near", "far")],
        {("right → far", "slow_receiver"): len(truth.missing("quotes", "far"))},
    )
