"""What the queue of a sender that connects brought to the next receiver at the same place: that is not owed to the one before, who left."""

from collections.abc import Mapping
from dataclasses import replace

from hopwatch_judge.known import Known
from hopwatch_judge.steps import LaneOfReceiver, Owed


def without_handed_on(known: Known, owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, Owed]:
    """Return what is owed, no further than the first number that the next one at the same place got of the lane."""
    handed_on = _handed_on(known, owed)
    return {key: _bounded(each, handed_on.get(key)) for key, each in owed.items()}


def _handed_on(known: Known, owed: Mapping[LaneOfReceiver, Owed]) -> dict[LaneOfReceiver, int]:
    """Return the first numbers that went to another one, by the lane of the receiver who had been there before."""
    former = {
        link.edge: {down.peer for down in link.former_downs if down.peer}
        for link in known.case.links.values()
    }
    found: dict[LaneOfReceiver, int] = {}
    for each in owed.values():
        if each.count == 0 or each.length != 1 or each.by_count:
            continue
        for peer in former.get((each.stream, each.receiver), ()):
            key = each.stream, peer, each.lane
            found[key] = min(each.first, found.get(key, each.first))
    return found


def _bounded(owed: Owed, handed_on: int | None) -> Owed:
    theirs = owed.receiver_left_first and owed.length == 1
    if handed_on is None or not theirs or handed_on < owed.next:
        return owed
    return replace(owed, end=min(owed.end, handed_on), sure_end=min(owed.sure_end, handed_on))
