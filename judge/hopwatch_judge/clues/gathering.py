"""The clues of each loss, from the case and from what the losses beside it show."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from hopwatch_judge.case import Down, Edge, Lane
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.kernel import NOTHING_READ, Kernel
from hopwatch_judge.events import Onset
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.loss import Loss
from hopwatch_judge.optional import exceeds, first_of, highest, later_by, lowest
from hopwatch_judge.resting import sender_keeps
from hopwatch_judge.steps import Pressure
from hopwatch_judge.thresholds import AT_ONCE, HARDLY_ANY, SURELY_BEFORE

NO_PRESSURE = Pressure()


@dataclass(frozen=True, slots=True)
class Measure:
    """What was measured of one loss: the rates of its hop, when its last message was sent, and whether it is of a stretch of overload, and clearly so."""

    pressure: Pressure = NO_PRESSURE
    lost_until: float | None = None
    overloaded: bool | None = None


def gather(known: Known, losses: Sequence[Loss], measures: Sequence[Measure]) -> list[Clues]:
    """The clues of each loss, in the same order."""
    kernels = {
        edge: Kernel(told)
        for edge, told in by_key(known.case.readings, lambda each: (each.from_socket, each.to_socket)).items()
    }
    own = [_own_clues(known, loss, measure, kernels) for loss, measure in zip(losses, measures, strict=True)]
    own = _with_others_of(
        own, lambda clues: clues.loss.edge_of_stream, lambda each: _of_edge_of_stream(known, each)
    )
    own = _with_others_of(own, lambda clues: (clues.loss.from_socket, clues.loss.to_socket), _of_edge)
    own = _with_others_of(own, _start, _of_start)
    return _with_others_of(own, lambda clues: clues.loss.edge_of_stream, _with_gaps_of_full_pipes)


def _own_clues(known: Known, loss: Loss, measure: Measure, kernels: Mapping[Edge, Kernel]) -> Clues:
    edge = (loss.from_socket, loss.to_socket)
    lane = known.lane.get((loss.stream, loss.lane)) or Lane(loss.stream, loss.lane, counted_from=None)
    sender, receiver = known.socket(loss.from_socket), known.socket(loss.to_socket)
    between_hosts = None not in (sender.host, receiver.host) and sender.host != receiver.host
    lost_at = first_of(loss.before_sent_at, loss.onset_at, loss.after_sent_at, loss.seen_at)
    return Clues(
        loss=loss,
        sender=sender,
        receiver=receiver,
        link=known.link(edge),
        lane=lane,
        stream_sent=sum(each.messages for each in known.lanes_of.get(loss.stream, ()))
        if lane.all_counted
        else None,
        stream_ended_at=known.socket(loss.stream).ended_at,
        ends_at=known.case.ends_at,
        guard=known.case.guard,
        pressure=measure.pressure,
        overloaded=measure.overloaded,
        limited_by=kernels.get(edge, NOTHING_READ).limit(
            lost_at, may_come_late=between_hosts and not measure.overloaded
        ),
        lost_until=measure.lost_until,
        unknown_downs=tuple(known.case.unknown_downs.get(loss.from_socket, ())),
    )


def _with_others_of(
    all_clues: Sequence[Clues], key: Callable[[Clues], object], told: Callable[[list[Clues]], Iterable[Clues]]
) -> list[Clues]:
    """The clues with what those of one key tell of each other, in the same order."""
    places = by_key(range(len(all_clues)), lambda place: key(all_clues[place]))
    found = list(all_clues)
    for of_one in places.values():
        for place, clues in zip(of_one, told([all_clues[each] for each in of_one]), strict=True):
            found[place] = clues
    return found


def _of_edge_of_stream(known: Known, clues: list[Clues]) -> list[Clues]:
    """What losses of one stream on one hop tell of its pipe."""
    own_onsets = _own_onsets(known, [each.loss for each in clues])
    taken = _taken_by_neighbours(clues)
    between = [_latest_between(own_onsets, each.loss) for each in clues]
    full_until = highest(
        each.loss.after_sent_at
        for each, onset in zip(clues, between, strict=True)
        if each.loss.part == "inner" and (each.loss.begins_at_onset or onset is not None)
    )
    ended_full = [each for each in clues if each.loss.begins_at_onset and each.at_the_end]
    lanes_full = {each.loss.lane for each in ended_full}
    stopped = any(_stopped_there(each) for each in ended_full)
    met_full = any(each.loss.begins_at_onset for each in clues)
    return [
        each.with_others(
            onset_between=onset,
            met_full_pipe=met_full,
            full_in_another_lane=bool(lanes_full - {each.loss.lane})
            or _came_through_later(each.loss, full_until),
            stopped_at_onset=stopped,
            cut_took_the_next=took and not each.conflates and not sender_keeps(each.link, each.sender),
        )
        for each, onset, took in zip(clues, between, taken, strict=True)
    ]


def _own_onsets(known: Known, losses: Sequence[Loss]) -> list[int]:
    """The stream's numbers of the onsets whose own message this hop lost, or may have lost in a gap of sparse stamps; in order."""
    one = losses[0]
    if one.from_socket != one.stream:
        return []
    found: set[int] = set()
    for lane, of_lane in by_key(losses, lambda loss: loss.lane).items():
        onsets = known.onsets_in.get((one.stream, lane), ())
        found.update(
            _held(onsets, of_lane, lambda onset: onset.lane_number or 0, lambda loss: (loss.first, loss.last))
        )
        sparse = [loss for loss in of_lane if loss.sparse and loss.part == "inner"]
        by_number = sorted(onsets, key=lambda onset: onset.number) if sparse else ()
        found.update(
            _held(
                by_number,
                [loss for loss in sparse if loss.before is not None and loss.after is not None],
                lambda onset: onset.number,
                lambda loss: ((loss.before or 0) + 1, (loss.after or 0) - 1),
            )
        )
    return sorted(found)


def _held(
    onsets: Sequence[Onset],
    losses: Sequence[Loss],
    place: Callable[[Onset], int],
    span: Callable[[Loss], tuple[int, int]],
) -> Iterable[int]:
    """Numbers in the stream of the onsets, in the order of their places, that a loss holds: one sweep over both."""
    spans = iter(sorted(map(span, losses)))
    first, last = next(spans, (0, -1))
    for onset in onsets:
        while last < place(onset):
            following = next(spans, None)
            if following is None:
                return
            first, last = following
        if first <= place(onset):
            yield onset.number


def _latest_between(onsets: Sequence[int], loss: Loss) -> int | None:
    if loss.before is None or loss.after is None:
        return None
    at = bisect_left(onsets, loss.after)
    return onsets[at - 1] if at and onsets[at - 1] > loss.before else None


def _came_through_later(loss: Loss, full_until: float | None) -> bool:
    """Something came through to a full pipe behind the last message of this lane that came; samples are too far apart to tell."""
    stamped = loss.way_newest_sent_at is not None
    return loss.part == "tail" and stamped and exceeds(full_until, loss.before_sent_at)


def _stopped_there(clues: Clues) -> bool:
    """The receiver got all before the onset, or what may have been under way when the pipe was full is little beside what was sent behind that.

    A pipe passes messages on in order, so that of all the receiver's lanes only what was sent behind the newest message that it got was still in there:
    by its pace (of what it got; it was sent more where some was lost) so many messages.
    """
    loss = clues.loss
    if loss.onset_number is not None and loss.reached == loss.onset_number:
        return True
    sent_behind = later_by(loss.onset_at, loss.way_newest_sent_at)
    if sent_behind is None or sent_behind < 0 or not loss.pace or not loss.reached or not loss.got_of_stream:
        return False
    in_the_pipe = sent_behind / (loss.pace * loss.got_of_stream / loss.reached)
    return in_the_pipe <= loss.messages * HARDLY_ANY


def _taken_by_neighbours(clues: Sequence[Clues]) -> list[bool]:
    """Of each loss whether more of the range before it in its lane, or behind it, was sent while the connection was down at this one's time."""
    found = [False] * len(clues)
    for of_lane in by_key(range(len(clues)), lambda place: clues[place].loss.lane).values():
        in_order = sorted(of_lane, key=lambda place: clues[place].loss.first)
        for at, place in enumerate(in_order):
            neighbours = [in_order[each] for each in (at - 1, at + 1) if 0 <= each < len(in_order)]
            if clues[place].link.downs:
                found[place] = any(_shares_more(clues[place], clues[each]) for each in neighbours)
    return found


def _shares_more(own: Clues, other: Clues) -> bool:
    shared = [(by, down) for down in own.link.downs if (by := _shared(own, down)) is not None]
    if not shared or other.loss.before_sent_at is None:
        return False
    by, down = max(shared, key=lambda each: each[0])
    return exceeds(_shared(other, down), by)


def _shared(clues: Clues, down: Down) -> float | None:
    """Seconds that a time and a down have in common; less than 0: that lie between them."""
    until = lowest((first_of(clues.loss.after_sent_at, clues.sent_at), down.end))
    since = highest((clues.loss.before_sent_at, down.start))
    return later_by(until, since)


def _of_edge(clues: list[Clues]) -> list[Clues]:
    """What losses of all streams on one hop tell."""
    newest = highest(highest((each.loss.way_newest_sent_at, each.loss.after_sent_at)) for each in clues)
    never_came = sum(each.loss.messages for each in clues if each.at_the_end)
    ended = any(each.at_the_end for each in clues)
    sndhwm, rcvhwm = clues[0].sender.sndhwm or 0, clues[0].receiver.rcvhwm
    fits_inbox = rcvhwm == 0 or (ended and rcvhwm is not None and never_came <= rcvhwm)
    return [
        each.with_others(
            fits_into_pipe=ended and sndhwm > 0 and never_came <= sndhwm / 2,
            fits_into_inbox=fits_inbox,
            overtaken=each.loss.hop_known and _had_been_sent(each, newest),
        )
        for each in clues
    ]


def _had_been_sent(clues: Clues, newest: float | None) -> bool:
    """These had been sent when something was that came over the same hop, of whatever stream: a pipe passes messages on in order, so that they were not in it.
    Of a lane of which nothing came it is enough that most had been, since its first message tells when it began; when those behind the last one that came began is not known.
    """
    behind = later_by(clues.sent_at, newest)
    if behind is None:
        return False
    since_its_first = later_by(newest, clues.lane.announced_at)
    mostly = exceeds(since_its_first, SURELY_BEFORE) and exceeds(since_its_first, behind)
    return behind < -SURELY_BEFORE or (clues.loss.part == "all" and mostly)


def _start(clues: Clues) -> tuple[str, int, int]:
    return clues.loss.stream, clues.loss.lane, clues.loss.first


def _of_start(clues: list[Clues]) -> list[Clues]:
    known_way = any(each.link.linked for each in clues)
    return [each.with_others(lacked_by_another=not each.link.linked and known_way) for each in clues]


def _with_gaps_of_full_pipes(clues: list[Clues]) -> list[Clues]:
    """What gaps of full pipes tell of the ends of lanes on the same hop that came shortly after."""
    full_until = highest(
        each.loss.after_sent_at
        for each in clues
        if each.loss.hop_known and each.loss.part == "inner" and claims.full_pipe_made_gap(each)
    )
    return [each.with_others(dropped_between=_shortly_before(each, full_until)) for each in clues]


def _shortly_before(clues: Clues, full_until: float | None) -> bool:
    """A pipe that drops holds more than half of its mark, so that what came to nobody begins with as many."""
    got_until = highest((clues.loss.before_sent_at, clues.loss.way_newest_sent_at))
    apart = later_by(got_until, full_until)
    return apart is not None and apart <= AT_ONCE and not clues.fits_into_pipe
