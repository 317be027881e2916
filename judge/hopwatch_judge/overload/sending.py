"""How fast messages were sent, and how many of them a receiver was asked to read."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from hopwatch_judge.events import Counted
from hopwatch_judge.known import Known, by_key
from hopwatch_judge.overload.spans import seconds
from hopwatch_judge.steps import LaneOfReceiver, Owed
from hopwatch_judge.thresholds import SHORTEST_INTERVAL

Shares = Mapping[str, Mapping[str, float]]
"""By receiving socket of a hop: how much it is sent of the messages of each stream, 1.0 being all."""


class Sent(NamedTuple):
    """When a stream had sent how many messages, in the order of the times; never empty."""

    times: tuple[float, ...]
    numbers: tuple[int, ...]

    def number_at(self, moment: float) -> float:
        """Return how many messages had been sent at a moment, evenly between two that are known."""
        before = bisect_right(self.times, moment) - 1
        behind = bisect_left(self.times, moment)
        if before < 0:
            return self.numbers[behind]
        if behind == len(self.times) or behind <= before:
            return self.numbers[before]
        share = (moment - self.times[before]) / (self.times[behind] - self.times[before])
        return self.numbers[before] + (self.numbers[behind] - self.numbers[before]) * share


class Sending(NamedTuple):
    """When a stream was sent, as far as it is known, and its ``rate`` in messages a second, or None."""

    began_at: float
    last_sent_at: float
    rate: float | None


def shares_of(
    known: Known, owed: Mapping[LaneOfReceiver, Owed], receivers: Collection[str]
) -> dict[str, dict[str, float]]:
    """Return the shares of receiving sockets; of several receivers behind one, the one sent most counts."""
    taken = {
        way: sum(lane.sent for lane in lanes)
        for way, lanes in by_key(owed.values(), lambda each: (each.stream, each.receiver)).items()
    }
    in_all = {stream: sum(lane.sent for lane in lanes) for stream, lanes in known.lanes_of.items()}
    shares: dict[str, dict[str, float]] = {receiver: {} for receiver in receivers}
    for way in known.case.ways:
        theirs = taken.get((way.stream, way.receiver))
        if theirs is None or not in_all.get(way.stream):
            continue
        share = min(1.0, theirs / in_all[way.stream])
        for passed in {hop.to_socket for hop in way.hops} & shares.keys():
            shares[passed][way.stream] = max(share, shares[passed].get(way.stream, 0.0))
    return shares


def sent_of(known: Known, streams: Collection[str], samples: Mapping[str, list[Counted]]) -> dict[str, Sent]:
    """Return when each stream had sent how many messages, by its samples and by the messages around gaps."""
    earliest: dict[str, dict[int, float]] = {}
    for stream, number, at in _points(known, streams, samples):
        theirs = earliest.setdefault(stream, {})
        theirs[number] = min(at, theirs.get(number, at))
    return {stream: _in_order(theirs) for stream, theirs in earliest.items()}


def _points(
    known: Known, streams: Collection[str], samples: Mapping[str, list[Counted]]
) -> Iterator[tuple[str, int, float]]:
    for stream in streams:
        for sample in samples.get(stream, ()):
            if sample.sent > 0:
                yield stream, sample.sent, sample.at
    for gap in known.case.gaps:
        if gap.action == "gap" and gap.stream in streams:
            for number, at in ((gap.before, gap.before_sent_at), (gap.after, gap.after_sent_at)):
                if number is not None and at is not None:
                    yield gap.stream, number, at


def _in_order(earliest: Mapping[int, float]) -> Sent:
    points = sorted((at, number) for number, at in earliest.items())
    return Sent(tuple(at for at, _ in points), tuple(number for _, number in points))


def sending(sent: Sent) -> Sending:
    """Return when and how fast a stream was sent, from its lowest number known to its highest."""
    points = sorted(zip(sent.numbers, sent.times, strict=True))
    (low, began_at), (high, last_sent_at) = points[0], points[-1]
    return Sending(began_at, last_sent_at, _rate(high - low, began_at, last_sent_at))


def asked_rate(
    shares: Mapping[str, float], sent: Mapping[str, Sent], since: float, until: float
) -> float | None:
    """Return how many messages a second of all its streams together a receiver was sent in a time."""
    theirs = [(share, sent[stream]) for stream, share in shares.items() if stream in sent]
    if not theirs:
        return None
    messages = sum(share * (each.number_at(until) - each.number_at(since)) for share, each in theirs)
    return _rate(messages, since, until)


def asked_all_along(
    shares: Mapping[str, float], sent: Mapping[str, Sent], sendings: Mapping[str, Sending]
) -> float | None:
    """Return what a receiver was asked to read while any of its streams was sent."""
    theirs = [sendings[stream] for stream in shares if stream in sendings]
    if not theirs:
        return None
    since, until = min(each.began_at for each in theirs), max(each.last_sent_at for each in theirs)
    return asked_rate(shares, sent, since, until)


def asked_bytes(known: Known, shares: Mapping[str, float]) -> float | None:
    """Return the average size of a message that a receiver is sent, of all its streams together."""
    theirs = [(share, known.totals(stream)) for stream, share in shares.items()]
    sized = [(share, total) for share, total in theirs if total.sent > 0 and total.sent_bytes > 0]
    messages = sum(share * total.sent for share, total in sized)
    return sum(share * total.sent_bytes for share, total in sized) / messages if messages else None


def _rate(messages: float, since: float, until: float) -> float | None:
    took = seconds(since, until)
    return messages / took if took > SHORTEST_INTERVAL else None
