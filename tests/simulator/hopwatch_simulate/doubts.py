"""Of how many messages of each cause no event can tell that they were lost by that one, and not by another."""

from collections import Counter
from collections.abc import Iterator

from hopwatch_simulate.edges import Edge, Nobody
from hopwatch_simulate.messages import Message
from hopwatch_simulate.receivers import SHARED_OUT

FULL = ("slow_receiver", "hwm_too_low", "network")
ENDS = ("sender_died", "receiver_died", "closed")


def doubtful_of(edge: Edge, causes: dict[str, set[Message]]) -> Counter[str]:
    """Messages of each cause of which no event can tell it: of what was lost behind the last message that was read, some was
    dropped at a full pipe, and some taken by it again and lost with it.
    """
    last: dict[str, int] = {}
    for message in edge.read:
        last[message.stream] = max(message.number, last.get(message.stream, -1))
    at_the_end = Counter(
        {
            cause: sum(each.number > last.get(each.stream, -1) for each in lost)
            for cause, lost in causes.items()
        }
    )
    at_the_end = +at_the_end
    if edge.sender.kind in SHARED_OUT:
        doubtful = _doubtful_around_a_mend(edge, causes, last) + _doubtful_of_a_queue(edge, causes, last)
        return Counter({cause: min(len(lost), doubtful[cause]) for cause, lost in causes.items()})
    doubtful = at_the_end if len(at_the_end) > 1 and at_the_end.keys() & set(FULL) else Counter[str]()
    return doubtful | _doubtful_around_a_cut(edge, causes)


def _doubtful_around_a_cut(edge: Edge, causes: dict[str, set[Message]]) -> Counter[str]:
    """A pipe that drops is full when its connection is cut: of what is missing between two messages that came it shows not which were in it."""
    doubtful: Counter[str] = Counter()
    for missing in _between_reads(edge, causes):
        if "reconnect" in missing and missing.keys() & set(FULL):
            doubtful += missing
    return doubtful


def _between_reads(edge: Edge, causes: dict[str, set[Message]]) -> Iterator[Counter[str]]:
    """How many of each cause were lost between two messages of a lane that came, one behind the other."""
    came = ((each.stream, each.lane, each.lane_number, "") for each in edge.read)
    lost = (
        (each.stream, each.lane, each.lane_number, cause) for cause, them in causes.items() for each in them
    )
    missing: Counter[str] = Counter()
    before: tuple[str, int] | None = None
    for stream, lane, _, cause in sorted([*came, *lost]):
        if not cause or before != (stream, lane):
            yield missing
            missing = Counter()
        if cause:
            missing[cause] += 1
        before = stream, lane
    yield missing


def _doubtful_around_a_mend(
    edge: Edge, causes: dict[str, set[Message]], last: dict[str, int]
) -> Counter[str]:
    """Of a share it shows which messages are missing in all, and not which were still in an inbox: what was sent before those that were
    lost in the cut may have been there, until as many came over the new connection as an inbox holds.
    """
    cut = causes.get("reconnect", set())
    if not cut or len(causes) == 1 or isinstance(edge.receiver, Nobody):
        return Counter()
    behind = max(each.number for each in cut)
    came_since = sum(each.number > behind for each in edge.read)
    may_be_in_the_inbox = came_since <= edge.receiver.options.get("rcvhwm", 1000)
    in_the_inbox = {
        cause: sum(each.number < behind for each in lost)
        for cause, lost in causes.items()
        if cause != "reconnect"
    }
    unread = sum(each.number > last.get(each.stream, -1) for each in cut)
    return Counter({**in_the_inbox, "reconnect": len(cut) if may_be_in_the_inbox else unread})


def _doubtful_of_a_queue(edge: Edge, causes: dict[str, set[Message]], last: dict[str, int]) -> Counter[str]:
    """Where a sender kept its queue when its receiver went, what the receiver had not read may all have been in that, but for the half of an
    inbox that had filled before it.
    """
    if not edge.kept or isinstance(edge.receiver, Nobody):
        return Counter()
    unread = {
        cause: [each.number for each in lost if each.number > last.get(each.stream, -1)]
        for cause, lost in causes.items()
    }
    doubtful = Counter({cause: len(numbers) for cause, numbers in unread.items()})
    if doubtful.total():
        of_the_receiver = min((min(numbers), cause) for cause, numbers in unread.items() if numbers)[1]
        mark = edge.receiver.options.get("rcvhwm", 1000)
        surely = mark // 2 if mark else doubtful.total()
        doubtful[of_the_receiver] = max(0, doubtful[of_the_receiver] - surely)
    return doubtful


def doubtful_behind_a_killed_sender(edge: Edge, causes: dict[str, set[Message]]) -> Counter[str]:
    """What a sender that was killed had not passed on yet no event tells: what its receiver had some time to read may have been that. But the
    first of what it lacks was in its inbox, if it said so.
    """
    if not edge.outlived:
        return Counter()
    unsure = Counter({cause: len(causes[cause]) for cause in ENDS if cause in causes})
    unsure["closed"] -= edge.told_unread
    return +unsure


def of_receiver(edge: Edge) -> str:
    """The cause of what went with the receiver's end."""
    return "receiver_died" if edge.receiver.ended == "died" else "closed"
