"""A case with its rows at hand: by socket, way, lane and receiver. Nothing here decides anything."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TypeVar

from hopwatch_judge.case import Case, Edge, Lane, Link, Receipt, Socket, Totals, Way
from hopwatch_judge.events import Gap, Onset, Subscribed
from hopwatch_judge.progress import NO_COURSE, Course
from hopwatch_judge.steps import LaneOfReceiver

Row = TypeVar("Row")
Key = TypeVar("Key")


def by_key(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """Rows by their key, in the order in which they come."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


class Known:
    """Look-ups of one case. Each index is made when it is first asked for."""

    def __init__(self, case: Case) -> None:
        self.case = case

    def socket(self, name: str | None) -> Socket:
        """The socket; one of which nothing is known where no row tells of it."""
        return self.case.sockets.get(name or "") or Socket(name or "")

    def link(self, edge: Edge) -> Link:
        """What connects the two; where nothing is known of it, a link that says so."""
        return self.case.links.get(edge) or Link(*edge, linked=False)

    def totals(self, socket: str) -> Totals:
        return self.case.totals.get(socket) or Totals(socket)

    @cached_property
    def way(self) -> Mapping[tuple[str, str], Way]:
        """By stream and receiver."""
        return {(way.stream, way.receiver): way for way in self.case.ways}

    @cached_property
    def ways_of(self) -> Mapping[str, list[Way]]:
        """By stream."""
        return by_key(self.case.ways, lambda way: way.stream)

    @cached_property
    def lane(self) -> Mapping[tuple[str, int], Lane]:
        """By stream and lane."""
        return {(lane.stream, lane.lane): lane for lane in self.case.lanes}

    @cached_property
    def lanes_of(self) -> Mapping[str, list[Lane]]:
        """By stream, in the order of their numbers."""
        return by_key(sorted(self.case.lanes, key=lambda lane: lane.lane), lambda lane: lane.stream)

    @cached_property
    def receipt(self) -> Mapping[LaneOfReceiver, Receipt]:
        """By stream, receiver and lane."""
        return {(each.stream, each.receiver, each.lane): each for each in self.case.receipts}

    @cached_property
    def receipts_of(self) -> Mapping[tuple[str, str], list[Receipt]]:
        """By stream and receiver."""
        return by_key(self.case.receipts, lambda each: (each.stream, each.receiver))

    @cached_property
    def gaps_of(self) -> Mapping[LaneOfReceiver, list[Gap]]:
        """Rows of all actions, by stream, receiver and lane, in the order of their numbers."""
        in_order = sorted(self.case.gaps, key=lambda gap: (gap.first, gap.last))
        return by_key(in_order, lambda gap: (gap.stream, gap.receiver, gap.lane))

    @cached_property
    def onsets_of(self) -> Mapping[str, list[Onset]]:
        """By stream, in the order of their numbers."""
        in_order = sorted(self.case.onsets, key=lambda onset: onset.number)
        return by_key(in_order, lambda onset: onset.stream)

    @cached_property
    def onsets_in(self) -> Mapping[tuple[str, int], list[Onset]]:
        """Those whose number in their lane is known, by stream and lane, in the order of that."""
        found: defaultdict[tuple[str, int], list[Onset]] = defaultdict(list)
        for onset in self.case.onsets:
            if onset.lane is not None and onset.lane_number is not None:
                found[onset.stream, onset.lane].append(onset)
        for onsets in found.values():
            onsets.sort(key=lambda onset: onset.lane_number or 0)
        return dict(found)

    @cached_property
    def _courses(self) -> Mapping[tuple[str, int], Course]:
        lanes = by_key(self.case.progress, lambda each: (each.stream, each.lane))
        return {lane: Course(readings) for lane, readings in lanes.items()}

    def course(self, stream: str, lane: int) -> Course:
        """All readings of a lane, also those that receivers tell."""
        return self._courses.get((stream, lane), NO_COURSE)

    @cached_property
    def subscribed_by(self) -> Mapping[str, list[Subscribed]]:
        """By receiver, in the order of their times."""
        in_order = sorted(self.case.subscribed, key=lambda each: (each.at, each.n is not None, each.n or 0))
        return by_key(in_order, lambda each: each.receiver)
