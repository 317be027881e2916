"""On which hop a shared-out stream that goes through proxies lost messages: their own counts tell."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down, Hop, Link, Socket, Way
from hopwatch_judge.placing.proxy_counts import Arrivals
from shared_streams import CLOSED, DIED, LANE, Pull, case, died, lost_on_hops

OVER_ONE = (Hop("x", "f", "tcp"), Hop("b", "y", "tcp"))
OVER_TWO = (Hop("x", "f", "tcp"), Hop("b", "g", "tcp"), Hop("c", "y", "tcp"))
BACK = (Down(100.0, 101.0),)
CUT = (Link("x", "f", transport="tcp", told=True, downs=BACK),)
PROXY = (Socket("f", type="PULL"), Socket("b", type="PUSH"))


def counts(first: int, second: int | None = None, **others: Any) -> dict[str, Arrivals]:
    """Return what proxies counted to the end: at the first one, and the second."""
    final = {"is_final": True, **others}
    found = {"f": Arrivals(first, **final)}
    return found if second is None else {**found, "g": Arrivals(second, is_final=True)}


def y(got: int = 90, reached: int | None = None, **others: Any) -> Pull:
    return Pull("y", got, reached, **{"hops": OVER_ONE, **others})


@pytest.mark.parametrize(
    ("pull", "arrived", "expected"),
    [
        pytest.param(y(), counts(100), "rest y: 10 sender_died, b-y", id="behind a proxy that got all"),
        pytest.param(y(), counts(90), "rest y: 10 sender_died, x-f", id="before one that got none of them"),
        pytest.param(y(), counts(95), "rest y: 10 unexplained, x-f", id="on either hop, if it got some"),
        pytest.param(y(), {}, "rest y: 10 unexplained, x-f", id="if it does not count"),
        pytest.param(y(), counts(90, is_final=False), "rest y: 10 unexplained, x-f", id="if its counts are too old"),
        pytest.param(y(), counts(100, is_final=False, is_no_newer=True), "rest y: 10 sender_died, b-y", id="all are all, whenever they were counted"),
        pytest.param(y(), counts(90, is_final=False, is_no_newer=True), "rest y: 10 unexplained, x-f", id="but fewer may have become more"),
        pytest.param(y(), counts(110), "rest y: 10 unexplained, x-f", id="it counts others, too"),
        pytest.param(y(), counts(110, strays=10), "rest y: 10 sender_died, b-y", id="of whom it is known how many they sent"),
        pytest.param(died("y", 90, hops=OVER_ONE), {}, "left y: 10 receiver_died exactly, b-y", id="with a receiver that left"),
        pytest.param(died("y", 90, hops=OVER_ONE), counts(90), "left y: 10 unexplained, x-f", id="unless they never came to it"),
        pytest.param(died("y", 90, hops=OVER_ONE), counts(95), "left y: 10 unexplained, x-f", id="or not all of them"),
        pytest.param(y(receipt={"moved_at": 199.0}), counts(95), "rest y: 10 in_flight, x-f", id="what is in flight is so on any hop"),
    ],
)  # fmt: skip
def test_messages_were_lost(pull: Pull, arrived: dict[str, Arrivals], expected: str) -> None:
    sender = {} if pull.way else DIED
    assert lost_on_hops(case(pull, sender=sender, sockets=PROXY), arrived) == [expected]


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        pytest.param({"sockets": (replace(PROXY[0], has_strangers=True), PROXY[1])}, "rest y: 10 unexplained, x-f", id="with unknown senders"),
        pytest.param({"ways": (Way("x", "y", OVER_ONE), Way("w", "v", (Hop("w", "f"), Hop("b", "v"))))}, "rest y: 10 unexplained, x-f", id="with another stream"),
    ],
)  # fmt: skip
def test_a_proxy_that_counts_others_tells_nothing(others: dict[str, Any], expected: str) -> None:
    plain = {"sender": DIED, "sockets": PROXY}
    assert lost_on_hops(case(y(), **plain | others), counts(90)) == [expected]


@pytest.mark.parametrize(
    ("arrived", "expected"),
    [
        pytest.param(270, "x-f", id="all frames of those that did not come are lacking"),
        pytest.param(271, None, id="half a message came"),
        pytest.param(300, "b-y", id="none are lacking"),
        pytest.param(299, None, id="a part of one is lacking"),
    ],
)
def test_frames_are_those_of_whole_messages(arrived: int, expected: str | None) -> None:
    of_three = replace(LANE, frames_each=3.0)
    (lost,) = lost_on_hops(case(y(), sender=DIED, sockets=PROXY, lanes=(of_three,)), counts(arrived))
    assert lost == (f"rest y: 10 sender_died, {expected}" if expected else "rest y: 10 unexplained, x-f")


@pytest.mark.parametrize(
    ("arrived", "expected"),
    [
        pytest.param(counts(100, 100), "rest y: 10 sender_died, c-y", id="behind the last one"),
        pytest.param(counts(90, 90), "rest y: 10 sender_died, x-f", id="before the first one"),
        pytest.param(counts(100, 90), "rest y: 10 unexplained, x-f", id="between the two"),
        pytest.param(counts(95, 90), "rest y: 10 unexplained, x-f", id="on both hops"),
        pytest.param(counts(90, 95), "rest y: 10 unexplained, x-f", id="the second one counts more"),
        pytest.param(counts(100, strays=0), "rest y: 10 unexplained, x-f", id="the second one does not tell"),
        pytest.param(
            counts(101, 101, strays=1), "rest y: 10 unexplained, x-f", id="others came by the first one"
        ),
    ],
)
def test_of_two_proxies_in_a_row(arrived: dict[str, Arrivals], expected: str) -> None:
    known = case(y(hops=OVER_TWO), sender=DIED, sockets=(*PROXY, Socket("c"), Socket("g")))
    assert lost_on_hops(known, arrived) == [expected]


@pytest.mark.parametrize(
    ("pull", "links", "arrived", "expected"),
    [
        pytest.param(y(90, 100), CUT, counts(90), ["before cut 1 y: 10 reconnect, x-f"], id="all that later ones overtook"),
        pytest.param(y(80, 90), CUT, counts(80), ["before cut 1 y: 10 reconnect, x-f", "rest y: 10 unexplained, x-f"], id="no more than those"),
        pytest.param(y(80, 90), CUT, counts(90), ["before cut 1 y: 10 reconnect, x-f", "rest y: 10 sender_died, b-y"], id="and the others behind it"),
        pytest.param(y(80, 100), CUT, counts(90), ["before cut 1 y: 10 reconnect, x-f", "overtaken y: 10 unexplained, b-y"], id="no more than never came"),
        pytest.param(y(90, 100), (), counts(90), ["overtaken y: 10 unexplained, x-f"], id="none, if it was not cut"),
        pytest.param(y(90, 100), CUT, {}, ["overtaken y: 10 unexplained, x-f"], id="none, if the proxy does not tell"),
        pytest.param(died("y", 80, 90, hops=OVER_ONE), CUT, {}, ["left y: 20 unexplained, x-f"], id="none behind a cut, if the proxy does not tell"),
    ],
)  # fmt: skip
def test_what_was_lost_in_a_cut_before_a_proxy(
    pull: Pull, links: tuple[Link, ...], arrived: dict[str, Arrivals], expected: list[str]
) -> None:
    assert lost_on_hops(case(pull, sender=DIED, sockets=PROXY, links=links), arrived) == expected


@pytest.mark.parametrize(
    ("reached", "arrived", "expected"),
    [
        pytest.param(100, counts(95, 90), ["before cut 1 y: 5 reconnect, x-f", "before cut 2 y: 5 reconnect, b-g"], id="if all were overtaken"),
        pytest.param(98, counts(95, 90), ["rest y: 2 unexplained, x-f"], id="not if some may have been lost later"),
        pytest.param(98, counts(100, 90), ["before cut 2 y: 8 reconnect, b-g", "rest y: 2 unexplained, x-f"], id="if one of them alone lost any"),
    ],
)  # fmt: skip
def test_of_two_cuts_each_has_its_own(
    reached: int, arrived: dict[str, Arrivals], expected: list[str]
) -> None:
    links = (*CUT, Link("b", "g", transport="tcp", told=True, to_end_was_cut=True))
    known = case(
        y(90, reached, hops=OVER_TWO), sender=DIED, sockets=(*PROXY, Socket("c"), Socket("g")), links=links
    )
    told = lost_on_hops(known, arrived)
    assert [each for each in told if not each.startswith("overtaken")] == expected


@pytest.mark.parametrize(
    ("link", "is_cut"),
    [
        pytest.param({"downs": BACK}, True, id="it came back"),
        pytest.param({"downs": (Down(100.0, None),)}, False, id="it ended"),
        pytest.param({"left_at": 100.0, "to_end_down_at": 100.0}, True, id="both saw it go"),
        pytest.param(
            {"left_at": 100.0, "to_end_down_at": 100.0, "quit_at": 100.0}, False, id="one was told to leave"
        ),
        pytest.param({"left_at": 100.0}, False, id="one saw it go"),
        pytest.param({"cut_alone": True}, True, id="one saw it go, and the other stayed"),
    ],
)
def test_a_cut_before_a_proxy(link: dict[str, Any], is_cut: bool) -> None:
    links = (replace(CUT[0], downs=(), **link) if "downs" not in link else replace(CUT[0], **link),)
    known = case(y(90, 100), sender=DIED, sockets=PROXY, links=links)
    assert lost_on_hops(known, counts(90))[0].startswith("before cut") is is_cut


@pytest.mark.parametrize(
    ("ended_at", "receiver_went_at", "expected"),
    [
        pytest.param(None, None, "rest y: 10 sender_died, b-y", id="is there"),
        pytest.param(155.0, None, "rest y: 10 unexplained, b-y", id="ended while the receiver was there"),
        pytest.param(155.0, 155.0, "rest y: 10 unexplained, b-y", id="ended as the receiver went"),
        pytest.param(155.0, 154.0, "rest y: 10 sender_died, b-y", id="ended later"),
    ],
)
def test_a_proxy_of_the_way(ended_at: float | None, receiver_went_at: float | None, expected: str) -> None:
    sockets = (PROXY[0], replace(PROXY[1], end="died" if ended_at else "open", ended_at=ended_at))
    known = case(y(way={"receiver_went_at": receiver_went_at}), sender=DIED, sockets=sockets)
    assert lost_on_hops(known, counts(100)) == [expected]


def test_what_any_of_several_receivers_may_have_lost_has_no_hop() -> None:
    other = Pull("z", 50, 100, socket={**CLOSED, "unread": False}, hops=(OVER_ONE[0], Hop("b", "z", "tcp")))
    both = (died("y", 30, 60, hops=OVER_ONE), other)
    assert lost_on_hops(case(*both, sockets=PROXY), counts(90)) == ["left: 20 unexplained, None-None"]
    assert lost_on_hops(case(*both, sockets=PROXY), counts(100)) == ["left y: 20 receiver_died exactly, b-y"]
    (in_the_cut, *_) = lost_on_hops(case(*both, sockets=PROXY, links=CUT), counts(95))
    assert in_the_cut == "before cut 1: 5 reconnect, x-f"


def test_only_a_hop_that_all_receivers_are_behind_tells() -> None:
    direct = Pull("z", 50, 100, socket={**CLOSED, "unread": False, "ended_at": 190.0})
    over_proxy = died("y", 30, 60, hops=OVER_ONE)
    assert lost_on_hops(case(over_proxy, direct, sockets=PROXY), counts(90)) == [
        "left y: 20 receiver_died exactly, b-y"
    ]


def test_a_connection_that_was_not_watched_on_any_hop_may_have_been_cut() -> None:
    links = (replace(CUT[0], downs=(), unwatched=True),)
    known = case(died("y", 90, hops=OVER_ONE), sockets=PROXY, links=links)
    assert lost_on_hops(known, counts(100)) == ["left y: 10 unexplained, b-y"]
