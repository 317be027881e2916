"""What proxies' own counts prove."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Hop, Link, Receipt, Totals
from hopwatch_judge.placing.proxy_counts import Arrivals, Frames, arrivals, expected_frames
from judged_proxies import (
    FRONT,
    LANE,
    SENDER,
    TO_Y,
    TO_Z,
    both_lack,
    expected,
    full_at,
    hop_of_both,
    hops,
    known,
)

OTHER_HOST = replace(FRONT, host="elsewhere")
GOT_ALL = Receipt("x", 0, "y", count=100, next=100, newest_sent_at=90.0)


def of_front(**parts: Any) -> Arrivals:
    return arrivals(known(**{"came": 0} | parts))["f"]


def test_frames_of_senders_without_numbers_are_strays() -> None:
    links = (Link("x", "f"), Link("s", "f"), Link("s", "q"), Link("t", "f", linked=False))
    strays = {name: Totals(name, sent=5, sent_more_frames=3) for name in ("s", "t")}
    assert of_front(came=70, links=links, totals=strays) == Arrivals(70, 8, is_final=True, is_no_newer=True)


def ended(at: float, asked: float | None, **fields: Any) -> dict[str, Any]:
    """Return that the proxy ended then, and was asked for its counts last at another time."""
    totals = {"f": Totals("f", proxied_in_frames=90, proxied_at=asked)}
    return {"sockets": (replace(FRONT, end="closed", ended_at=at, **fields),), "totals": totals}


def asked_early(**fields: Any) -> dict[str, Any]:
    """Return that the counts of the open proxy are of a time before the last message."""
    totals = {"f": Totals("f", proxied_at=98.9)}
    return {"sockets": (replace(FRONT, heard_until=99.5, **fields),), "totals": totals}


@pytest.mark.parametrize(
    ("parts", "is_final", "is_no_newer"),
    [
        pytest.param({}, True, True, id="of a proxy that goes on, at the end of the case"),
        pytest.param({"sockets": (replace(FRONT, heard_until=100.9),)}, False, False, id="or as long as it was heard of"),
        pytest.param({"sockets": (replace(FRONT, heard_until=101.1),)}, True, True, id="for long enough"),
        pytest.param(ended(101.1, 101.1), True, True, id="of one that ended a while later"),
        pytest.param(ended(100.9, 100.9), False, False, id="but not soon after"),
        pytest.param(ended(150.0, 100.9), False, False, id="nor if it was asked soon after"),
        pytest.param(ended(100.9, 150.0), False, False, id="nor if it ended before it was asked"),
        pytest.param(ended(150.0, None), True, True, id="unless it is not known when it was asked"),
        pytest.param(ended(100.0, 100.0, took_last_at=99.2), True, True, id="or if it had counted nothing more"),
        pytest.param(ended(99.2, 99.2, took_last_at=90.0), False, False, id="for a while behind the last message"),
        pytest.param({"sockets": (replace(FRONT, heard_until=100.0, took_last_at=90.0),)}, False, False, id="which an open one does not say"),
        pytest.param(asked_early(), False, True, id="counts from before the last message hold none unreported"),
        pytest.param(asked_early(host="elsewhere"), False, False, id="which another clock does not say"),
        pytest.param({**ended(100.0, 100.0), "sockets": (replace(FRONT, ended_at=100.0), replace(SENDER, ended_at=100.0))}, False, True, id="nor do any once the sender has ended"),
        pytest.param({"sockets": (replace(OTHER_HOST, heard_until=110.9),)}, False, False, id="another clock may be ahead"),
        pytest.param({"sockets": (replace(OTHER_HOST, heard_until=111.1),)}, True, True, id="but not by much"),
        pytest.param({"sockets": (replace(OTHER_HOST, heard_until=101.2, clock="c"), replace(SENDER, clock="c"))}, False, False, id="compared clocks differ"),
        pytest.param({"sockets": (replace(OTHER_HOST, heard_until=101.4, clock="c"), replace(SENDER, clock="c"))}, True, True, id="but by less"),
        pytest.param({"sockets": (replace(FRONT, host=None, heard_until=101.4), replace(SENDER, host=None))}, False, False, id="unknown hosts are not one"),
        pytest.param({"lanes": (replace(LANE, moved_at=None),)}, False, False, id="nothing if it is not known when all was sent"),
        pytest.param({"lanes": (replace(LANE, moved_at=199.0),)}, False, False, id="nothing if something was sent just now"),
        pytest.param({"lanes": (replace(LANE, moved_at=199.0, sent_at_last=100),), "receipts": (GOT_ALL,)}, True, True, id="the last stamp knows better"),
        pytest.param({"lanes": (replace(LANE, moved_at=199.0, sent_at_last=101),), "receipts": (GOT_ALL,)}, False, False, id="if it is the last"),
        pytest.param({"lanes": (replace(LANE, moved_at=199.0),), "receipts": (GOT_ALL,)}, False, False, id="which nobody knows of a sender that goes on"),
        pytest.param({"lanes": (LANE, replace(LANE, lane=1, moved_at=199.0))}, False, False, id="all lanes count"),
        pytest.param({"lanes": (LANE, replace(LANE, stream="w", moved_at=199.0)), "ways": (TO_Y, replace(TO_Z, stream="w"))}, False, False, id="and all streams"),
    ],
)  # fmt: skip
def test_counts_hold_the_last_message_if_they_are_newer(
    parts: dict[str, Any], is_final: bool, is_no_newer: bool
) -> None:
    counted = of_front(**parts)
    assert (counted.is_final, counted.is_no_newer) == (is_final, is_no_newer)


def test_counts_of_a_socket_that_nothing_was_sent_towards_prove_nothing() -> None:
    assert not arrivals(known(totals={"q": Totals("q")}))["q"].is_final


def test_frames_are_expected_of_what_any_receiver_wants() -> None:
    case = known(lanes=(replace(LANE, frames_each=2.0, unused=10), replace(LANE, lane=1)))
    due = expected(case, (), ranges={"y": ((0, 49),), "z": ((40, 59),)})
    assert expected_frames(case, due) == {("f", 1): Frames(at_least=180.0, at_most=280.0)}


def test_what_comes_over_two_hops_comes_twice() -> None:
    over = [Hop("b", "g"), Hop("c", "g")]
    ways = tuple(
        replace(way, hops=(way.hops[0], hop, Hop("d", way.receiver)))
        for way, hop in zip((TO_Y, TO_Z), over, strict=True)
    )
    case = known(ways=ways)
    assert expected_frames(case, expected(case, ()))["g", 2] == Frames(200.0, 200.0)


UNFINISHED = {"sockets": (replace(FRONT, ended_at=100.0),)}
STRAY = {"links": (Link("s", "f"),), "totals": {"s": Totals("s", sent=10)}}
HALF_OWED = {"ranges": {"y": ((0, 49),), "z": ((0, 49),)}}


@pytest.mark.parametrize(
    ("came", "parts", "hop"),
    [
        pytest.param(100, {}, (2, True), id="all arrived"),
        pytest.param(90, {}, (1, True), id="none did"),
        pytest.param(95, {}, (1, False), id="some did"),
        pytest.param(80, {}, (1, True), id="more are lacking"),
        pytest.param(110, {}, (1, False), id="others sent some"),
        pytest.param(90, UNFINISHED, (1, False), id="counts may be old"),
        pytest.param(100, UNFINISHED, (1, False), id="and may hold what was not reported"),
        pytest.param(110, STRAY, (2, True), id="all arrived beside strays"),
        pytest.param(100, STRAY, (1, False), id="some may have been strays"),
        pytest.param(40, HALF_OWED, (1, True), id="none of what was owed"),
        pytest.param(50, HALF_OWED, (1, False), id="all of what was owed, or some beside that"),
        pytest.param(0, {"lanes": (replace(LANE, frames_each=None),)}, (1, False), id="it is not known how many frames"),
        pytest.param(0, {"totals": {}, "ways": (replace(TO_Y, hops=(Hop("x", "u"), *TO_Y.hops[1:])), replace(TO_Z, hops=(Hop("x", "u"), *TO_Z.hops[1:])))}, (1, False), id="it has no counts"),
    ],
)  # fmt: skip
def test_counts_place_what_all_behind_the_proxy_miss(
    came: int, parts: dict[str, Any], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(both_lack(10, 19), came=came, **parts) == hop


@pytest.mark.parametrize(("came", "depth"), [(90, 2), (80, 1)])
def test_frames_known_to_be_lost_before_are_not_expected(came: int, depth: int) -> None:
    missing = (*both_lack(10, 19), *both_lack(30, 39))
    of_y = hops(missing, came=came, onsets=(full_at(30),))[:2]
    assert of_y == [("y", 10, 19, depth, True), ("y", 30, 39, 1, True)]
