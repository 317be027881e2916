"""On which hop missing messages were lost."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Hop, Link, Socket, Totals, Way
from hopwatch_judge.placing.placing import placed
from hopwatch_judge.steps import Missing
from judged_proxies import (
    FRONT,
    LANE,
    RECEIVER,
    SENDER,
    TO_Y,
    TO_Z,
    both_lack,
    expected,
    full_at,
    hop_of_both,
    hops,
    into_proxy,
    known,
    lacks,
    sample,
)

UNKNOWN = (1, False)
BEFORE_PROXY, BEHIND_PROXY = (1, True), (2, True)


def of_y(missing: list[Missing], **parts: Any) -> list[tuple[int, int, int, bool]]:
    """Return first, last, depth and whether the hop is known, of what y lacks."""
    return [piece[1:] for piece in hops(missing, **parts) if piece[0] == "y"]


# what receivers lack together


def test_without_a_proxy_the_only_hop_lost_it() -> None:
    assert hops([lacks("y", 10, 19)], ways=(Way("x", "y", (Hop("x", "y"),)),)) == [("y", 10, 19, 1, True)]


def test_nothing_is_placed_where_nothing_is_missing() -> None:
    assert hops([]) == []


def test_one_receiver_alone_lacks_what_was_lost_behind_the_proxy() -> None:
    assert hop_of_both([lacks("y", 10, 19)]) == BEHIND_PROXY


def test_what_all_lack_may_have_been_lost_before() -> None:
    assert hop_of_both(both_lack(10, 19)) == UNKNOWN


def test_ranges_are_cut_where_others_lack_them_too() -> None:
    missing = [lacks("y", 10, 19), lacks("z", 5, 7), lacks("z", 12, 14), lacks("z", 18, 30)]
    assert of_y(missing) == [
        (10, 11, 2, True),
        (12, 14, 1, False),
        (15, 17, 2, True),
        (18, 19, 1, False),
    ]


@pytest.mark.parametrize(
    "parts",
    [
        {"ranges": {"z": ((0, 9), (20, 99))}},
        {"changes": {"z": {"by_count": True}}},
        {"ways": (TO_Y,)},
    ],
    ids=["was not owed it", "numbers nothing", "is not there"],
)
def test_a_receiver_says_nothing_of_others_if_it(parts: dict[str, Any]) -> None:
    assert hop_of_both([lacks("y", 10, 19)], **parts) == UNKNOWN


def test_adjoining_ranges_stay_apart() -> None:
    assert of_y([*both_lack(10, 14), *both_lack(15, 19)]) == [(10, 14, 1, False), (15, 19, 1, False)]


def three_hops(receiver: str, second: str = "g") -> Way:
    return Way("x", receiver, (Hop("x", "f"), Hop("b", second), Hop("c", receiver)))


def test_the_first_hop_behind_which_all_lack_it_is_found_on_each_way() -> None:
    ways = (three_hops("y"), three_hops("z"), three_hops("w", "other"))
    missing = [*both_lack(10, 19), *(lacks(receiver, 30, 39) for receiver in "yzw"), lacks("y", 50, 59)]
    assert of_y(missing, ways=ways) == [(10, 19, 2, False), (30, 39, 1, False), (50, 59, 3, True)]


@pytest.mark.parametrize(
    ("came_f", "came_g", "hop"),
    [
        (100, 100, (3, True)),
        (100, 90, (2, True)),
        (100, 95, (2, False)),
        (90, 90, (1, True)),
        (95, 90, (1, False)),
    ],
)
def test_counts_are_asked_proxy_by_proxy(came_f: int, came_g: int, hop: tuple[int, bool]) -> None:
    totals = {"f": Totals("f", proxied_in_frames=came_f), "g": Totals("g", proxied_in_frames=came_g)}
    sockets = (Socket("g", host="h", passes_to="c"),)
    parts = {"ways": (three_hops("y"), three_hops("z")), "totals": totals, "sockets": sockets}
    assert hop_of_both(both_lack(10, 19), **parts) == hop


def test_a_way_may_be_shorter_than_others() -> None:
    ways = (TO_Y, three_hops("z"))
    assert hops(both_lack(10, 19), ways=ways, came=100) == [("y", 10, 19, 2, True), ("z", 10, 19, 2, False)]


# full pipes of the sender

TWO_LANES = (LANE, replace(LANE, lane=1))


@pytest.mark.parametrize(
    ("missing", "onsets", "hop"),
    [
        pytest.param(both_lack(10, 19), (full_at(10),), BEFORE_PROXY, id="begun at a full pipe"),
        pytest.param([lacks("y", 10, 19)], (full_at(10),), BEHIND_PROXY, id="others got it"),
        pytest.param(both_lack(10, 19), (full_at(12),), BEFORE_PROXY, id="met one within"),
        pytest.param(both_lack(10, 19), (full_at(22),), UNKNOWN, id="met one later"),
        pytest.param(both_lack(10, 19), (full_at(8),), UNKNOWN, id="met one earlier"),
        pytest.param(both_lack(10, 19, "tail", after=None), (full_at(12),), UNKNOWN, id="may be queued"),
        pytest.param([*both_lack(10, 14), *both_lack(15, 19, before=None)], (full_at(10),), BEFORE_PROXY, id="went on after one"),
        pytest.param([*both_lack(10, 14), *both_lack(15, 19, before=None)], (full_at(10, lane=1),), UNKNOWN, id="another lane met one"),
        pytest.param([*both_lack(10, 19), *both_lack(5, 8, lane=1, before=9, after=20)], (full_at(6, lane=1, stream_number=12),), BEFORE_PROXY, id="lost with another lane"),
    ],
)  # fmt: skip
def test_a_full_pipe_of_the_sender_lost_what_began_then(
    missing: list[Missing], onsets: tuple[Any, ...], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(missing, onsets=onsets, lanes=TWO_LANES) == hop


def test_the_same_messages_are_placed_alike_if_one_receiver_knows_less() -> None:
    missing = [lacks("y", 10, 19), lacks("z", 10, 19, before=None, after=None)]
    assert hop_of_both(missing, onsets=(full_at(12),)) == BEFORE_PROXY


@pytest.mark.parametrize(
    ("sent_before", "part", "hop"),
    [
        (8.5, "tail", BEFORE_PROXY),
        (9.0, "tail", BEFORE_PROXY),
        (7.9, "tail", UNKNOWN),
        (9.1, "tail", UNKNOWN),
        (None, "tail", UNKNOWN),
        (8.5, "all", BEFORE_PROXY),
        (8.5, "inner", UNKNOWN),
    ],
)
def test_lanes_end_together_where_one_met_a_full_pipe(
    sent_before: float | None, part: str, hop: tuple[int, bool]
) -> None:
    of_lane_0 = both_lack(50, 99, part, before_sent_at=sent_before)
    of_lane_1 = both_lack(60, 99, "tail", lane=1)
    onsets = (full_at(60, lane=1, stream_number=160, at=9.0), full_at(60, lane=1, stream_number=161, at=5.0))
    pieces = hops([*of_lane_0, *of_lane_1], onsets=onsets, lanes=TWO_LANES)
    assert {piece[3:] for piece in pieces if piece[1] == 50} == {hop}


def test_a_gap_that_met_a_full_pipe_does_not_end_other_lanes() -> None:
    missing = [*both_lack(50, 99, "tail", before_sent_at=8.5), *both_lack(60, 69, lane=1)]
    pieces = hops(missing, onsets=(full_at(60, lane=1, stream_number=160, at=9.0),), lanes=TWO_LANES)
    assert {piece[3:] for piece in pieces if piece[1] == 50} == {UNKNOWN}


def test_an_end_that_others_got_does_not_end_together_with_another_lane() -> None:
    missing = [lacks("y", 50, 99, "tail", before_sent_at=8.5), *both_lack(60, 99, "tail", lane=1)]
    pieces = hops(missing, onsets=(full_at(60, lane=1, stream_number=160, at=9.0),), lanes=TWO_LANES)
    assert ("y", 50, 99, 2, True) in pieces


# no full pipe of a sender that sees each

PROBED = replace(SENDER, probed=True)
SEEN = {"sockets": (PROBED,), "links": (into_proxy(),), "came": 110}


def met(pipes: int, *, told: int) -> dict[str, Any]:
    """Return that x counted so many full pipes, and told of some, long after what is missing."""
    onsets = tuple(full_at(50 + each) for each in range(told))
    return {"totals": {"x": Totals("x", onsets=pipes)}, "onsets": onsets}


def sender(**fields: Any) -> dict[str, Any]:
    return {"sockets": (replace(PROBED, **fields),)}


@pytest.mark.parametrize(
    ("parts", "hop"),
    [
        pytest.param({}, BEHIND_PROXY, id="all is known"),
        pytest.param(sender(probed=False), UNKNOWN, id="it is not probed"),
        pytest.param(sender(probing_stopped_at=50.0), UNKNOWN, id="it is probed no more"),
        pytest.param(sender(conflate=1), UNKNOWN, id="it keeps the newest message only"),
        pytest.param(sender(unwatched=True), UNKNOWN, id="not all of it is known"),
        pytest.param(sender(heard_until=21.1), BEHIND_PROXY, id="it was heard of later"),
        pytest.param(sender(heard_until=20.9), UNKNOWN, id="it was not heard of later"),
        pytest.param(sender(heard_until=21.1) | met(2, told=1), BEHIND_PROXY, id="its newest is unknown"),
        pytest.param(sender(heard_until=21.1) | met(1, told=0), UNKNOWN, id="its only one is unknown"),
        pytest.param(met(2, told=1), UNKNOWN, id="one is unknown at its end"),
        pytest.param(met(1, told=1), BEHIND_PROXY, id="all are known"),
        pytest.param({"onsets": (full_at(9), full_at(20))}, BEHIND_PROXY, id="it met some around"),
        pytest.param({"onsets": (full_at(12, lane=1),)}, UNKNOWN, id="it met one within"),
        pytest.param({"links": ()}, UNKNOWN, id="nothing is known of the connection"),
        pytest.param({"links": (into_proxy((70.0, 71.0)),)}, UNKNOWN, id="the connection went down"),
        pytest.param({"links": (into_proxy(to_end_was_cut=True),)}, UNKNOWN, id="the proxy saw it go down"),
        pytest.param({"links": (into_proxy(unwatched=True),)}, UNKNOWN, id="the connection was not watched"),
        pytest.param({"came": 80}, BEFORE_PROXY, id="more was lost than that"),
    ],
)  # fmt: skip
def test_a_sender_that_met_no_full_pipe_passed_messages_on_if(
    parts: dict[str, Any], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(both_lack(10, 19), **SEEN | parts) == hop


def test_of_a_sender_that_is_not_counted_full_pipes_may_be_unknown() -> None:
    case = known(**SEEN)
    del case.case.totals["x"]  # type: ignore[attr-defined]
    assert not any(each.hop_known for each in placed(case, expected(case, both_lack(10, 19))))


@pytest.mark.parametrize("fields", [{"part": "head"}, {"before": None}, {"after": None}, {"before": 19}])
def test_a_range_that_is_no_gap_between_messages_may_be_queued(fields: dict[str, Any]) -> None:
    assert hop_of_both(both_lack(10, 19, **fields), **SEEN) == UNKNOWN


def test_one_receiver_shows_for_all_that_messages_passed() -> None:
    missing = [lacks("y", 10, 19), lacks("z", 10, 19, "head", after=None)]
    assert hop_of_both(missing, **SEEN) == BEHIND_PROXY


def test_behind_several_proxies_messages_passed_the_first() -> None:
    ways = (three_hops("y"), three_hops("z"))
    assert hop_of_both(both_lack(10, 19), ways=ways, **SEEN) == (2, False)


def test_beside_another_proxy_nothing_shows_which_way_messages_passed() -> None:
    hop = Hop("x", "f", replaced=True)
    ways = tuple(replace(way, hops=(hop, *way.hops[1:])) for way in (TO_Y, TO_Z))
    assert hop_of_both(both_lack(10, 19), ways=ways, **SEEN) == UNKNOWN
    assert hop_of_both(both_lack(10, 19), ways=ways, came=100) == UNKNOWN
    assert hop_of_both(both_lack(10, 19), ways=ways, came=90) == UNKNOWN


# connections that went down


@pytest.mark.parametrize(
    ("downs", "fields", "hop"),
    [
        pytest.param(((12.0, 15.0),), {}, BEFORE_PROXY, id="within"),
        pytest.param(((5.0, 25.0),), {}, BEFORE_PROXY, id="all the time"),
        pytest.param(((14.0, 16.0),), {}, BEFORE_PROXY, id="just after the first was sent"),
        pytest.param(((14.1, 15.0),), {}, UNKNOWN, id="long after that"),
        pytest.param(((8.9, 9.0),), {"after_sent_at": 14.0}, BEFORE_PROXY, id="mended just before"),
        pytest.param(((8.9, 9.0),), {"after_sent_at": 14.1}, UNKNOWN, id="mended long before"),
        pytest.param(((5.0, 8.9),), {"after_sent_at": 10.0}, UNKNOWN, id="mended before the first"),
        pytest.param(((10.1, 11.0),), {"after_sent_at": 10.0}, UNKNOWN, id="went down after the last"),
        pytest.param(((13.0, None),), {}, BEFORE_PROXY, id="for good"),
        pytest.param(((1.0, 30.0), (2.0, 3.0)), {}, BEFORE_PROXY, id="and again within"),
        pytest.param(((12.0, 15.0), (50.0, 60.0)), {}, BEFORE_PROXY, id="and again later"),
        pytest.param(((12.0, 15.0),), {"before_sent_at": None}, UNKNOWN, id="it is not known since when they were sent"),
        pytest.param(((12.0, 13.0),), {"after_sent_at": None}, BEFORE_PROXY, id="nor until when"),
        pytest.param((), {}, UNKNOWN, id="never"),
    ],
)  # fmt: skip
def test_messages_are_lost_with_the_connection_that_went_down(
    downs: tuple[tuple[float, float | None], ...], fields: dict[str, Any], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(both_lack(10, 19, **fields), links=(into_proxy(*downs),), came=95) == UNKNOWN
    assert hop_of_both(both_lack(10, 19, **fields), links=(into_proxy(*downs),), came=110) == hop


def test_the_receiver_that_knows_best_says_when_the_same_messages_were_sent() -> None:
    links = (into_proxy((12.0, 15.0)),)
    early = [lacks("y", 10, 19, before_sent_at=1.0), lacks("z", 10, 19)]
    assert hop_of_both(early, links=links, came=110) == BEFORE_PROXY
    late = [lacks("y", 10, 19, after_sent_at=90.0), lacks("z", 10, 19)]
    assert hop_of_both(late, links=links, came=110) == BEFORE_PROXY


@pytest.mark.parametrize(
    ("sockets", "came", "hop"),
    [
        ((), 95, UNKNOWN),
        ((replace(FRONT, heard_until=100.0),), 95, BEFORE_PROXY),
        ((), 110, BEFORE_PROXY),
    ],
    ids=["more than can be", "counts may be old", "others sent some"],
)
def test_no_more_is_lost_in_cuts_than_did_not_arrive(
    sockets: tuple[Socket, ...], came: int, hop: tuple[int, bool]
) -> None:
    assert (
        hop_of_both(both_lack(10, 19), links=(into_proxy((12.0, 15.0)),), sockets=sockets, came=came) == hop
    )


def test_cuts_that_fit_together_are_taken_for_what_is_lacking() -> None:
    links = (into_proxy((12.0, 15.0)),)
    missing = [*both_lack(10, 19), *both_lack(40, 49)]
    assert of_y(missing, links=links, came=85) == [(10, 19, 1, True), (40, 49, 1, False)]
    assert of_y(missing, links=links, came=95) == [(10, 19, 1, False), (40, 49, 1, False)]


GONE = replace(FRONT, end="died", ended_at=60.0)


@pytest.mark.parametrize(
    ("part", "link", "sockets", "hop"),
    [
        pytest.param("tail", into_proxy((60.0, None)), (GONE,), UNKNOWN, id="with the proxy"),
        pytest.param("all", into_proxy((60.0, None)), (GONE,), UNKNOWN, id="with the proxy, from the start"),
        pytest.param("tail", into_proxy((60.0, None)), (), BEFORE_PROXY, id="of a proxy that stayed"),
        pytest.param("inner", into_proxy((60.0, None)), (GONE,), BEFORE_PROXY, id="and more came"),
        pytest.param("tail", into_proxy((58.0, 58.9), (60.0, None)), (GONE,), UNKNOWN, id="after it had been down before"),
        pytest.param("tail", into_proxy((58.0, 59.5), (60.0, None)), (GONE,), BEFORE_PROXY, id="after it had been down then"),
    ],
)  # fmt: skip
def test_what_a_proxy_took_along_may_be_before_or_behind_it(
    part: str, link: Link, sockets: tuple[Socket, ...], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(both_lack(60, 99, part), links=(link,), sockets=sockets, came=110) == hop


# receivers that left

LEFT = {"receiver_left_first": True}
CLOSED = replace(RECEIVER, end="closed", ended_at=99.4, unread=False)
BOTH_LEFT = {"y": LEFT, "z": LEFT}
BOTH_READ_ALL = (CLOSED, replace(CLOSED, id="z"))


@pytest.mark.parametrize(
    ("part", "changes", "sockets", "hop"),
    [
        pytest.param("tail", BOTH_LEFT, (), BEHIND_PROXY, id="left with some unread"),
        pytest.param("all", BOTH_LEFT, (), BEHIND_PROXY, id="left and got nothing"),
        pytest.param("inner", BOTH_LEFT, (), UNKNOWN, id="got more"),
        pytest.param("head", BOTH_LEFT, (), UNKNOWN, id="came late"),
        pytest.param("tail", {"y": LEFT}, (), UNKNOWN, id="did not all leave"),
        pytest.param("tail", BOTH_LEFT, BOTH_READ_ALL, UNKNOWN, id="had read all"),
        pytest.param("tail", BOTH_LEFT, (CLOSED,), UNKNOWN, id="had read all, one of them"),
        pytest.param("tail", BOTH_LEFT, [replace(each, unread=True) for each in BOTH_READ_ALL], BEHIND_PROXY, id="had not"),
        pytest.param("tail", BOTH_LEFT, [replace(each, unread=None) for each in BOTH_READ_ALL], BEHIND_PROXY, id="do not say so"),
        pytest.param("tail", BOTH_LEFT, [replace(each, end="died") for each in BOTH_READ_ALL], BEHIND_PROXY, id="died"),
        pytest.param("tail", BOTH_LEFT, [replace(each, ended_at=99.2) for each in BOTH_READ_ALL], BEHIND_PROXY, id="were sent some until then"),
        pytest.param("tail", {name: LEFT | {"moved_at": 99.2} for name in "yz"}, BOTH_READ_ALL, BEHIND_PROXY, id="got some until then"),
    ],
)  # fmt: skip
def test_what_receivers_left_behind_is_lost_behind_the_proxy_if_they(
    part: str, changes: dict[str, Any], sockets: tuple[Socket, ...], hop: tuple[int, bool]
) -> None:
    assert hop_of_both(both_lack(60, 99, part), changes=changes, sockets=sockets, came=95) == hop


def test_who_came_later_says_nothing_of_those_who_left() -> None:
    missing = [lacks("y", 60, 99, "tail"), lacks("z", 60, 99, "head")]
    assert hop_of_both(missing, changes={"y": LEFT}, came=95) == BEHIND_PROXY


@pytest.mark.parametrize(
    ("gap", "parts", "hop"),
    [
        pytest.param(both_lack(10, 19), {"came": 95}, UNKNOWN, id="of which it is not known where"),
        pytest.param(both_lack(10, 19, "head"), {"came": 95}, BEHIND_PROXY, id="which may not have been sent"),
        pytest.param(both_lack(10, 19), {"came": 110, "links": (into_proxy((12.0, 15.0)),)}, BEHIND_PROXY, id="lost before the proxy"),
        pytest.param(both_lack(10, 19), {"came": 100}, BEHIND_PROXY, id="lost behind it"),
        pytest.param([lacks("y", 10, 19)], {"came": 95}, BEHIND_PROXY, id="that others got"),
    ],
)  # fmt: skip
def test_ends_may_be_of_the_same_hop_as_gaps(
    gap: list[Missing], parts: dict[str, Any], hop: tuple[int, bool]
) -> None:
    pieces = of_y([*gap, *both_lack(60, 99, "tail")], changes=BOTH_LEFT, **parts)
    assert pieces[-1] == (60, 99, *hop)


def test_who_left_lacks_what_was_cut_before() -> None:
    parts = {"changes": BOTH_LEFT, "links": (into_proxy((60.0, 61.0)),), "came": 110}
    assert hop_of_both(both_lack(60, 99, "tail"), **parts) == BEFORE_PROXY


# proxies that came in another's place

CAME_AFTER = Hop("x", "f", former="old", replaced=True)
REPLACING = tuple(replace(way, hops=(CAME_AFTER, *way.hops[1:])) for way in (TO_Y, TO_Z))
SAW_IT_GO = Link("x", "old", told=True, last_down_n=7)


def handed(came: int = 85, *progress: Any, **parts: Any) -> list[tuple[int, int, int, bool]]:
    """Return the pieces of 10 to 19, of which x had numbered 15 when it saw the former proxy go."""
    plain = {"ways": REPLACING, "links": (SAW_IT_GO,), "progress": progress or (sample(8, 15),)}
    return of_y(both_lack(10, 19), came=came, **plain | parts)


def test_messages_sent_after_the_handover_passed_the_proxy_that_counted_them() -> None:
    assert handed(85) == [(10, 14, 1, False), (15, 19, 2, True)]
    assert handed(84) == [(10, 14, 1, False), (15, 19, 1, False)]


@pytest.mark.parametrize(
    ("readings", "cut"),
    [
        pytest.param([sample(10, 15)], True, id="a few events later"),
        pytest.param([sample(11, 15)], False, id="too many events later"),
        pytest.param([sample(7, 15)], False, id="before"),
        pytest.param([sample(9, 12), sample(8, 15)], True, id="the first of two"),
        pytest.param([sample(8, 15, kind="final")], False, id="the last word"),
        pytest.param([sample(8, 15, lane=1)], False, id="of another lane"),
        pytest.param([sample(8, 10)], None, id="all were sent since"),
    ],
)
def test_lanes_are_handed_over_as_far_as_they_were_numbered(readings: list[Any], cut: bool | None) -> None:
    if cut is None:
        assert handed(90, *readings) == [(10, 19, 2, True)]
    else:
        assert (len(handed(85, *readings, lanes=TWO_LANES)) == 2) == cut


@pytest.mark.parametrize(
    "parts",
    [
        {"links": ()},
        {"links": (replace(SAW_IT_GO, last_down_n=None),)},
        {"ways": tuple(replace(way, hops=(replace(CAME_AFTER, former=None), *way.hops[1:])) for way in REPLACING)},
    ],
    ids=["did not see it go", "does not say when", "had no former one"],
)  # fmt: skip
def test_nothing_is_handed_over_if_the_sender(parts: dict[str, Any]) -> None:
    assert handed(85, **parts) == [(10, 19, 1, False)]


def test_what_was_lost_since_the_handover_is_not_expected_of_the_new_proxy() -> None:
    missing = [*both_lack(10, 19), *both_lack(30, 34), *both_lack(5, 6)]
    parts = {"ways": REPLACING, "links": (SAW_IT_GO,), "progress": (sample(8, 15),)}
    onsets = (full_at(30), full_at(5))
    assert (15, 19, 2, True) in of_y(missing, came=80, onsets=onsets, **parts)
    assert (15, 19, 1, False) in of_y(missing, came=79, onsets=onsets, **parts)


def test_lanes_that_were_not_handed_over_are_expected_as_a_whole() -> None:
    assert handed(184, lanes=TWO_LANES)[1] == (15, 19, 1, False)
    assert handed(185, lanes=TWO_LANES)[1] == (15, 19, 2, True)


def test_strays_are_none_of_those_sent_since() -> None:
    links = (SAW_IT_GO, Link("s", "f"))
    strays = {"s": Totals("s", sent=1)}
    assert handed(85, links=links, totals=strays)[1] == (15, 19, 1, False)


def test_the_hop_out_of_a_proxy_that_replaced_another_says_so() -> None:
    case = known(ways=REPLACING, came=100)
    pieces = placed(case, expected(case, [lacks("y", 10, 19), *both_lack(30, 39)]))
    assert {(each.missing.first, each.depth, each.took_over) for each in pieces} == {
        (10, 2, True),
        (30, 1, False),
    }


def test_pieces_say_between_which_sockets_they_were_lost() -> None:
    case = known()
    pieces = placed(case, expected(case, [lacks("y", 10, 19), *both_lack(30, 39)]))
    assert [
        (each.missing.first, each.length, each.from_socket, each.to_socket)
        for each in pieces
        if each.missing.receiver == "y"
    ] == [
        (10, 2, "b", "y"),
        (30, 2, "x", "f"),
    ]
