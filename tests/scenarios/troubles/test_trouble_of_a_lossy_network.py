"""A network that loses packets, and a subscriber that is fast."""

import pytest
from browser import CHROMIUM, MISSING, chromium
from namespaces import SENDER, inside, wire
from namespaces import missing as lacking_for_namespaces
from trouble_books import Report, balances, causes, dropped_before, words_on
from trouble_stories import SOCKETS, NewTrouble, Story, Told, hold
from troubles import eventually

pytestmark = pytest.mark.scenario

LONG = 20_000
"""Bytes of a message: the kernel holds some hundreds of them."""


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
@pytest.mark.skipif(lacking_for_namespaces() is not None, reason=str(lacking_for_namespaces()))
def test_a_lossy_network_fills_the_pipe_though_the_subscriber_is_fast(
    new_trouble: NewTrouble, told: Told
) -> None:
    trouble = new_trouble("lossy_network")
    with wire() as lossy:
        lossy.lose(0.1)
        trouble.system.host("upstream", inside(lossy.sender))
        trouble.system.host("downstream", inside(lossy.receiver))
        for host in ("upstream", "downstream"):
            trouble.await_agent(host)
        publisher = trouble.start(
            "publisher",
            "fast_publisher.py",
            SENDER,
            LONG,
            0.0002,
            host="upstream",
            inside=inside(lossy.sender),
        )
        subscriber = trouble.start(
            "subscriber", "slow_subscriber.py", SENDER, 0, host="downstream", inside=inside(lossy.receiver)
        )
        eventually(lambda: dropped_before(subscriber.received() or [0]) > 0, "nothing was dropped")
        eventually(
            lambda: (
                "network"
                in {
                    one["tcp"]["limited_by"]
                    for one in trouble.ask("/v1/connections", "upstream")
                    if one["tcp"]
                }
            ),
            "the kernel has not told of the network",
        )
        slow = Story(
            ("met a full pipe",),
            page=("the network is slow",),
            terminal=("messages wait for the network (the kernel: ",),
            of=("publisher", "PUB"),
            drops=True,
            top=(SOCKETS, r"losing +publisher +PUB .*met a full pipe"),
        )
        with chromium(inside(lossy.sender)) as browser:
            hold(trouble, slow, browser, "upstream")
        publisher.await_sent(10_000)
        publisher.end()
        subscriber.await_rest()
        subscriber.end()
        sent, received = publisher.sent(), subscriber.received()

        def it_was_the_network(report: Report) -> None:
            balances(report, sent, received)
            assert causes(report)["network"] >= dropped_before(received)
            assert "Find out why the network between publisher and subscriber loses packets" in words_on(
                report, "network"
            )

        told(trouble, it_was_the_network)
