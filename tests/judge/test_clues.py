"""What losses beside one tell of it."""

from dataclasses import replace

import pytest
from hopwatch_judge.case import Case, Down, Lane, Link, Socket
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.gathering import Measure, gather
from hopwatch_judge.events import Onset
from hopwatch_judge.known import Known
from hopwatch_judge.loss import Loss
from judged_losses import ALL, GAP, LANE, LINK, RECEIVER, SENDER, TAIL

NEXT_GAP = replace(GAP, first=30, last=39, before=29, after=40, before_sent_at=110.0, after_sent_at=111.0)


def clues_of(
    *losses: Loss,
    onsets: tuple[Onset, ...] = (),
    lanes: tuple[Lane, ...] = (LANE,),
    link: Link = LINK,
    sender: Socket = SENDER,
    receiver: Socket = RECEIVER,
) -> list[Clues]:
    """Return the clues of these losses between two sockets."""
    sockets = {"x": sender, "y": receiver}
    case = Case(200.0, 5.0, sockets, {link.edge: link}, (), lanes, (), {}, onsets=onsets)
    return gather(Known(case), losses, [Measure()] * len(losses))


@pytest.mark.parametrize(
    ("number", "lane_number", "found"), [(12, 12, 12), (9, 12, None), (20, 12, None), (12, 50, None)]
)
def test_an_onset_between_two_messages_is_the_hops_own_if_it_lacks_its_message(
    number: int, lane_number: int, found: int | None
) -> None:
    (clues,) = clues_of(GAP, onsets=(Onset("x", number, 0, lane_number, 100.5),))
    assert clues.onset_between == found


def test_an_onset_of_another_lane_is_the_hops_own_if_it_lacks_that_ones_message() -> None:
    other = replace(GAP, lane=1, first=3, last=4, before=12, after=14)
    gap, _ = clues_of(GAP, other, onsets=(Onset("x", 13, 1, 3, 100.5),), lanes=(LANE, replace(LANE, lane=1)))
    assert gap.onset_between == 13


def test_in_a_gap_of_sparse_stamps_any_number_may_be_missing() -> None:
    (clues,) = clues_of(replace(GAP, sparse=True, last=11), onsets=(Onset("x", 15, 0, 15, 100.5),))
    assert clues.onset_between == 15


def test_a_hop_met_a_full_pipe_if_any_loss_of_the_stream_begins_at_one() -> None:
    assert [each.met_full_pipe for each in clues_of(GAP, replace(NEXT_GAP, begins_at_onset=True))] == [
        True,
        True,
    ]


def test_another_lane_ended_at_a_full_pipe() -> None:
    full = replace(TAIL, lane=1, begins_at_onset=True)
    tail, other = clues_of(TAIL, full, lanes=(LANE, replace(LANE, lane=1)))
    assert (tail.full_in_another_lane, other.full_in_another_lane) == (True, False)


def test_a_later_gap_of_another_lane_came_through_to_a_full_pipe() -> None:
    later = replace(GAP, lane=1, begins_at_onset=True, after_sent_at=141.0)
    earlier = replace(later, after_sent_at=139.0)
    lanes = (LANE, replace(LANE, lane=1))
    assert clues_of(TAIL, later, lanes=lanes)[0].full_in_another_lane
    assert not clues_of(TAIL, earlier, lanes=lanes)[0].full_in_another_lane


@pytest.mark.parametrize(
    ("changed", "stopped"),
    [
        ({"onset_number": 100}, True),
        ({"onset_number": 99, "onset_at": 145.0}, False),
        ({"onset_number": 99, "onset_at": 140.1, "pace": 0.5}, True),
        ({"onset_number": 99, "onset_at": 139.9, "pace": 0.5}, False),
    ],
)
def test_a_receiver_stopped_at_an_onset_if_hardly_anything_was_under_way(
    changed: dict[str, float], stopped: bool
) -> None:
    (clues,) = clues_of(replace(TAIL, begins_at_onset=True, **changed))  # type: ignore[arg-type]
    assert clues.stopped_at_onset == stopped


@pytest.mark.parametrize(("marks", "fits"), [((20, 1000), True), ((19, 1000), False), ((0, 1000), False)])
def test_half_of_a_mark_is_what_a_pipe_that_drops_holds_at_least(marks: tuple[int, int], fits: bool) -> None:
    (clues,) = clues_of(TAIL, sender=replace(SENDER, sndhwm=marks[0]))
    assert clues.fits_into_pipe == fits


@pytest.mark.parametrize(("mark", "fits"), [(10, True), (9, False), (0, True), (None, False)])
def test_an_inbox_holds_its_mark(mark: int | None, fits: bool) -> None:
    (clues,) = clues_of(TAIL, receiver=replace(RECEIVER, rcvhwm=mark))
    assert clues.fits_into_inbox == fits


@pytest.mark.parametrize(("newest", "overtaken"), [(150.6, True), (150.4, False)])
def test_what_had_been_sent_before_something_that_came_was_overtaken(newest: float, overtaken: bool) -> None:
    (clues,) = clues_of(replace(TAIL, way_newest_sent_at=newest))
    assert clues.overtaken == overtaken


@pytest.mark.parametrize(("newest", "overtaken"), [(80.0, True), (70.0, False)])
def test_of_a_lane_that_never_came_it_is_enough_that_most_had_been_sent(
    newest: float, overtaken: bool
) -> None:
    (clues,) = clues_of(replace(ALL, way_newest_sent_at=newest))
    assert clues.overtaken == overtaken


def test_one_whose_way_is_known_lacks_the_same() -> None:
    other = replace(GAP, to_socket="z")
    lacked = [each.lacked_by_another for each in clues_of(GAP, other)]
    assert lacked == [False, True]


def test_a_cut_takes_the_range_of_a_lane_of_which_more_was_sent_in_it() -> None:
    link = replace(LINK, downs=(Down(100.0, 104.0),))
    most = replace(NEXT_GAP, before_sent_at=100.5, after_sent_at=103.5)
    assert [each.cut_took_the_next for each in clues_of(GAP, most, link=link)] == [True, False]
    all_of_it = replace(GAP, after_sent_at=104.0)
    assert [each.cut_took_the_next for each in clues_of(all_of_it, most, link=link)] == [False, True]


def test_a_sender_that_keeps_its_queue_loses_more_than_one_range_in_a_cut() -> None:
    link = replace(LINK, downs=(Down(100.0, 104.0),), sender_connects=True)
    behind = replace(NEXT_GAP, before_sent_at=100.5, after_sent_at=103.5)
    assert [each.cut_took_the_next for each in clues_of(GAP, behind, link=link)] == [False, False]


@pytest.mark.parametrize(("full_until", "between"), [(139.5, True), (138.5, False)])
def test_a_gap_of_a_full_pipe_came_shortly_before_an_end(full_until: float, between: bool) -> None:
    gap = replace(GAP, begins_at_onset=True, after_sent_at=full_until)
    _, tail = clues_of(gap, TAIL, sender=replace(SENDER, sndhwm=19))
    assert tail.dropped_between == between


def test_an_end_that_the_pipe_may_hold_says_nothing_of_a_gap_before() -> None:
    gap = replace(GAP, begins_at_onset=True, after_sent_at=139.5)
    _, tail = clues_of(gap, TAIL, sender=replace(SENDER, sndhwm=20))
    assert not tail.dropped_between
