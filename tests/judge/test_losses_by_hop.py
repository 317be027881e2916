"""What receivers lack, as losses of hops."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Case, Lane, Socket
from hopwatch_judge.events import Onset, Progress
from hopwatch_judge.known import Known
from hopwatch_judge.losses.by_hop import by_hop
from hopwatch_judge.losses.cut_ends import cut_at_onsets
from hopwatch_judge.losses.sent_between import with_times
from hopwatch_judge.losses.standing import standings
from hopwatch_judge.steps import Missing, Owed, Piece
from judged_losses import GAP, TAIL

OWED = Owed(
    "x", "y", 0, 1, 90, 0, 100, 0, 150.0, 150.0, 3.0, 100, False, None, None, False, 100, None, 100, False
)
MISSING = Missing("x", "y", 0, 10, 19, "inner", 9, 20, 100.0, 101.0, 101.5)
PIECE = Piece(MISSING, 2, 1, True, "x", "p", False)


def known(*onsets: Onset, sockets: dict[str, Socket] | None = None, **others: tuple[object, ...]) -> Known:
    """Return a case with these rows."""
    rows = {"lanes": (), **others}
    return Known(Case(200.0, 5.0, sockets or {}, {}, (), rows.pop("lanes"), (), {}, onsets=onsets, **rows))  # type: ignore[arg-type]


def owed_to(receiver: str, **told: object) -> Owed:
    """Return what another receiver is owed."""
    return replace(OWED, receiver=receiver, **told)  # type: ignore[arg-type]


def test_what_two_receivers_behind_a_hop_lack_is_one_loss() -> None:
    owed = [OWED, owed_to("z", moved_at=140.0, got_first_at=2.0)]
    pieces = [
        PIECE,
        PIECE._replace(missing=MISSING._replace(receiver="z", before=8, seen_at=101.2, before_sent_at=99.0)),
    ]
    (loss,) = by_hop(pieces, standings({each.key: each for each in owed}))
    assert (loss.before, loss.after, loss.before_sent_at, loss.after_sent_at) == (9, 20, 100.0, 101.0)
    assert (loss.seen_at, loss.seen_by) == (101.2, "z")
    assert (loss.moved_at, loss.got_first_at) == (150.0, 2.0)


def test_the_same_numbers_on_two_hops_are_two_losses() -> None:
    owed = [OWED, owed_to("z")]
    pieces = [PIECE, PIECE._replace(missing=MISSING._replace(receiver="z"), from_socket="q", to_socket="z")]
    assert len(by_hop(pieces, standings({each.key: each for each in owed}))) == 2


def test_a_gap_at_one_receiver_and_an_end_at_another_are_told_as_a_gap() -> None:
    owed = [OWED, owed_to("z")]
    pieces = [PIECE._replace(missing=MISSING._replace(receiver="z", part="tail")), PIECE]
    (loss,) = by_hop(pieces, standings({each.key: each for each in owed}))
    assert loss.part == "inner"


@pytest.mark.parametrize(("left", "until"), [((None, 120.0), None), ((110.0, 120.0), 120.0)])
def test_a_loss_was_owed_until_the_last_receiver_left(
    left: tuple[float | None, float], until: float | None
) -> None:
    owed = [replace(OWED, owed_until=left[0]), owed_to("z", owed_until=left[1])]
    pieces = [PIECE, PIECE._replace(missing=MISSING._replace(receiver="z"))]
    (loss,) = by_hop(pieces, standings({each.key: each for each in owed}))
    assert loss.owed_until == until


@pytest.mark.parametrize(
    ("other", "before"),
    [
        ({"lane": 0, "first": 0}, True),
        ({"lane": 0, "first": 1}, False),
        ({"lane": 0, "first": 0, "by_count": True}, False),
        ({"lane": 0, "first": 0, "count": 0}, False),
        ({"lane": 0, "first": 0, "subscribed_at": 1.0}, False),
        ({"lane": 2, "first": 0}, False),
    ],
)
def test_who_got_an_earlier_lane_from_its_start_on_was_there(other: dict[str, object], before: bool) -> None:
    """If it was subscribed to no earlier."""
    own = replace(OWED, lane=1, subscribed_at=5.0)
    others = replace(OWED, **{"subscribed_at": 5.0, **other})  # type: ignore[arg-type]
    assert standings({each.key: each for each in (own, others)})[own.key].joined_before == before


def test_the_lane_that_all_share_says_nothing_of_when_they_began() -> None:
    own = replace(OWED, lane=4294967295)
    assert not standings({each.key: each for each in (own, OWED)})[own.key].joined_before


def test_the_pace_of_a_way_is_of_all_its_lanes() -> None:
    other = replace(OWED, lane=1, count=11, moved_at=103.0, got_first_at=50.0)
    assert standings({each.key: each for each in (OWED, other)})[OWED.key].pace == pytest.approx(147.0 / 100)


@pytest.mark.parametrize("number", [9, 11, 20])
def test_a_gap_begins_at_an_onset_of_just_its_first_message(number: int) -> None:
    (loss,) = cut_at_onsets(known(Onset("x", number, 0, number, 100.0)), [GAP])
    assert not loss.begins_at_onset
    (loss,) = cut_at_onsets(known(Onset("x", 10, 0, 10, 100.0)), [GAP])
    assert loss.begins_at_onset


def test_behind_a_proxy_an_onset_of_the_sender_begins_nothing() -> None:
    (loss,) = cut_at_onsets(known(Onset("x", 10, 0, 10, 100.0)), [replace(GAP, from_socket="p")])
    assert not loss.begins_at_onset


def test_an_end_is_cut_where_the_pipe_became_full() -> None:
    first, second = cut_at_onsets(known(Onset("x", 95, 0, 95, 145.0)), [TAIL])
    assert (first.first, first.last, first.begins_at_onset) == (90, 94, False)
    assert (second.first, second.last, second.begins_at_onset) == (95, 99, True)
    assert first.whole_first == second.whole_first == TAIL.whole_first
    assert (second.onset_number, second.onset_at) == (95, 145.0)


def test_an_end_is_cut_at_the_first_of_its_onsets() -> None:
    onsets = (Onset("x", 97, 0, 97, 147.0), Onset("x", 92, 0, 92, 142.0))
    assert [loss.first for loss in cut_at_onsets(known(*onsets), [TAIL])] == [90, 92]


def test_an_onset_at_which_another_hops_loss_begins_is_that_ones() -> None:
    other = replace(TAIL, to_socket="z", first=95)
    tail, its = cut_at_onsets(known(Onset("x", 95, 0, 95, 145.0)), [TAIL, other])
    assert (tail.first, tail.last, tail.maybe_dropped) == (90, 99, False)
    assert its.begins_at_onset


@pytest.mark.parametrize(
    ("marks", "strangers", "other", "cut"),
    [
        ((5, 4), False, True, True),
        ((5, 5), False, True, False),
        ((0, 5), False, True, False),
        ((5, 5), False, False, True),
        ((5, 5), True, False, False),
        ((5, 4), True, False, True),
    ],
)
def test_an_onset_whose_message_others_lack_too_may_be_theirs_if_the_marks_hold_the_whole_end(
    marks: tuple[int, int], strangers: bool, other: bool, cut: bool
) -> None:
    sockets = {"x": Socket("x", sndhwm=marks[0], has_strangers=strangers), "y": Socket("y", rcvhwm=marks[1])}
    losses = [TAIL, *([replace(TAIL, to_socket="z", first=91)] if other else [])]
    of_y = [
        loss
        for loss in cut_at_onsets(known(Onset("x", 95, 0, 95, 145.0), sockets=sockets), losses)
        if loss.to_socket == "y"
    ]
    assert [loss.first for loss in of_y] == ([90, 95] if cut else [90])
    assert of_y[0].maybe_dropped != cut


CARRIED = Lane("x", 0, carried=True, announced_at=2.0)
SAMPLES = tuple(
    Progress("x", 0, at, "sample", None, numbered)
    for at, numbered in ((99.0, 9), (100.0, 10), (103.0, 21), (104.0, 30))
)
UNTIMED = replace(GAP, before_sent_at=None, after_sent_at=None, seen_at=110.0)


def test_numbers_of_their_own_were_sent_between_two_samples() -> None:
    (loss,) = with_times(known(lanes=(CARRIED,), progress=SAMPLES), [UNTIMED])
    assert (loss.before_sent_at, loss.after_sent_at) == (99.0, 103.0)


def test_they_were_sent_before_they_were_seen_missing() -> None:
    (loss,) = with_times(known(lanes=(CARRIED,), progress=SAMPLES), [replace(UNTIMED, seen_at=102.0)])
    assert loss.after_sent_at == 102.0


def test_an_onset_tells_when_its_own_message_was_sent() -> None:
    told = known(Onset("x", 10, 0, 10, 101.5), lanes=(CARRIED,), progress=SAMPLES)
    (loss,) = with_times(told, [replace(UNTIMED, begins_at_onset=True)])
    assert loss.before_sent_at == 101.5


def test_stamps_tell_when_their_messages_were_sent() -> None:
    stamped = replace(CARRIED, carried=False)
    (loss,) = with_times(known(lanes=(stamped,), progress=SAMPLES), [UNTIMED])
    assert (loss.before_sent_at, loss.after_sent_at) == (None, None)
