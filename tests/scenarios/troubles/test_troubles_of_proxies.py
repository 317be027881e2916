"""A high water mark that seems not to drop behind an XSUB and XPUB proxy, and DONTWAIT on a PUB that never raises."""

import signal
from typing import Any

import pytest
from trouble_books import (
    ENDED_BY_USER,
    Report,
    balances,
    causes,
    dropped_before,
    words_on,
)
from trouble_stories import FINDINGS, NewTrouble, Plays, Shown, Story, Told
from troubles import Trouble, address, eventually, missing, waiting_on

pytestmark = pytest.mark.scenario

LONG = 20_000
"""Bytes of a message: the kernel holds some hundreds of them."""


def behind_a_proxy_and_mended(trouble: Trouble) -> None:
    for start in (trouble.run, trouble.start_bare):
        start("app", "proxied_and_mended.py", address(), 6000, LONG)


STARTS = (behind_a_proxy_and_mended,)


def behind_a_proxy(trouble: Trouble) -> None:
    for start in (trouble.run, trouble.start_bare):
        start("app", "proxied.py", address())


def test_behind_a_proxy_a_mark_seems_not_to_drop_as_all_waits_in_the_subscribers_own_pipe(
    new_trouble: NewTrouble, told: Told, shown: Shown
) -> None:
    """The user had given the PUB a RCVHWM of 100, and waited for drops."""
    trouble = new_trouble("behind_a_proxy")
    trouble.await_agent()
    behind_a_proxy(trouble)
    app, bare = trouble.programs["app"], trouble.programs["bare app"]
    app.await_sent(1000)

    def all_wait_behind_the_proxy() -> bool:
        waiting = waiting_on(trouble, "app")
        return waiting is not None and waiting["at_most"] > 100

    eventually(all_wait_behind_the_proxy, "the agent has not said what waits")
    eventually(
        lambda: (
            list(_places(trouble)) == ["sender", "kernel", "receiver"]
            and waiting_on(trouble, "app")["at_least"] == 0
        ),
        "the kernel's share is not told",
    )
    eventually(lambda: _places(trouble)["sender"]["at_most"] == 0, "the proxy's pipe is not empty")
    at_the_subscriber = _places(trouble)["receiver"]
    assert (at_the_subscriber["mark"], at_the_subscriber["at_most"] > 100) == (1000, True)
    assert trouble.rules() == {("PUB", "mark_of_the_other_way")}
    (finding,) = trouble.ask("/v1/findings")
    assert finding["text"].startswith("RCVHWM is 100, but a PUB only sends messages, and SNDHWM")
    assert finding["advice"].startswith("Set SNDHWM to 100 instead")
    (lane,) = trouble.ask("/v1/lanes?role=receive")
    assert lane["lost"] == 0
    found = "RCVHWM is 100, but a PUB only sends messages"
    proxy_is_empty = "up to 0 in the pipe of app, the sending end (its mark: 1,000)"
    shown(
        trouble,
        Story(
            (found, proxy_is_empty, "in the pipe of app, the receiving end (its mark: 1,000)"),
            terminal=("app (XPUB) - app (SUB) ready",),
            of=("app", "SUB"),
            drops=False,
            top=(FINDINGS, rf"app +PUB +{found}"),
        ),
    )

    bare.await_received(500)
    assert dropped_before(bare.received()) == 0
    app.await_rest()
    app.end(signal.SIGTERM)
    sent, received = app.sent(), app.received()
    assert dropped_before(received) == 0

    def only_what_came_too_early_is_missing(report: Report) -> None:
        lost = len(missing(sent, received))
        assert lost == received[0]
        balances(report, sent, received)
        assert set(causes(report)) <= {"slow_joiner"}
        assert [one["rule"] for one in report["findings"]].count("mark_of_the_other_way") == 1

    told(trouble, only_what_came_too_early_is_missing)


def _places(trouble: Trouble) -> dict[str, Any]:
    waiting = waiting_on(trouble, "app")
    assert waiting is not None
    return {place["place"]: place for place in waiting["places"]}


def test_a_dontwait_on_a_pub_never_raises_and_a_mark_that_is_set_after_bind_bounds_nothing(
    plays: Plays, told: Told, shown: Shown
) -> None:
    """The mended program has its mark on the right side, and counts on zmq.Again: it prints no drop, and messages are missing."""
    trouble = plays["behind_a_proxy_and_mended"]
    app, bare = trouble.programs["app"], trouble.programs["bare app"]
    eventually(
        lambda: trouble.rules() >= {("PUB", "dontwait_never_raises"), ("XPUB", "mark_set_after_bind")},
        "the findings are not told",
    )
    texts = {one["rule"]: one["text"] for one in trouble.ask("/v1/findings")}
    assert "never waits and never raises EAGAIN" in texts["dontwait_never_raises"]
    assert "connections accepted there from now on get 1000" in texts["mark_set_after_bind"]
    for program in (app, bare):
        eventually(
            lambda program=program: dropped_before(program.received() or [0]) > 0, "nothing was dropped"
        )
        assert "Dropped" not in program.printed
    eventually(lambda: any(one["lost"] for one in trouble.ask("/v1/lanes?role=receive")), "no loss is told")

    never_raises = (FINDINGS, r"app +PUB +.*DONTWAIT")
    shown(
        trouble,
        Story((texts["dontwait_never_raises"], texts["mark_set_after_bind"]), drops=True, top=never_raises),
    )

    app.await_sent(6000)
    app.await_rest()
    app.end(signal.SIGTERM)
    sent, received = app.sent(), app.received()
    assert "Dropped" not in app.printed

    def the_proxy_dropped(report: Report) -> None:
        balances(report, sent, received)
        found = causes(report)
        assert found["slow_receiver"] >= dropped_before(received)
        assert set(found) <= {"slow_receiver", "slow_joiner", *ENDED_BY_USER}
        hops = {one["hop"] for one in report["incidents"] if one["cause"] == "slow_receiver"}
        assert "app (PROXY) → app (SUB)" in hops
        assert hops <= {
            "app (PROXY) → app (SUB)",
            "app (PUB) → app (PROXY)",
        }  # a proxy that gets no turn fills that one
        assert "SNDHWM of app (PROXY) is 1000" in words_on(report, "slow_receiver")
        assert {"dontwait_never_raises", "mark_set_after_bind"} <= {one["rule"] for one in report["findings"]}

    told(trouble, the_proxy_dropped)
