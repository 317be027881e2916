"""Whether messages were sent before their receiver had joined."""

from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.pipe import dropped_before_others
from hopwatch_judge.optional import exceeds, first_of, highest, later_by, reaches
from hopwatch_judge.socket_types import FILTERED_TYPES, PUBLISHING_TYPES
from hopwatch_judge.thresholds import IDLE_SECONDS, SURELY_JOINED_WITHIN


def joins(clues: Clues) -> bool:
    """The hop is one on which a receiver has to subscribe before it is sent anything."""
    return clues.sender.type in PUBLISHING_TYPES and clues.receiver.type in FILTERED_TYPES


def may_never_have_joined(clues: Clues) -> bool:
    """Nothing of the lane came, and the receiver is not known to have been there before it began."""
    return clues.loss.part == "all" and joins(clues) and not clues.loss.joined_before


def sent_before_joining(clues: Clues) -> bool:
    """The sender's own count proves that these were sent before the connection came up: as the stream's only lane, or
    because the receiver got all that was sent since then.
    """
    loss, then = clues.loss, clues.link.sent_when_connected
    if loss.from_socket != loss.stream or then is None:
        return False
    if clues.lane.counted_from is not None and loss.last < then + clues.lane.counted_from:
        return True
    return clues.stream_sent is not None and clues.stream_sent - then <= loss.got_of_stream


def never_joined(clues: Clues) -> bool:
    """All had been sent before the receiver connected and subscribed, or may have been, and it did join in mid-stream."""
    joined_at = _joined_at(clues)
    return exceeds(joined_at, clues.sent_at) or (
        clues.loss.joined_midway and exceeds(joined_at, clues.sent_after)
    )


def there_before(clues: Clues) -> bool:
    """The receiver was there when this lane began."""
    return joined_before(clues) or clues.link.sent_when_connected == 0


def joined_before(clues: Clues) -> bool:
    """It had got a lane that began earlier from its start on, or had been connected and subscribed to this one for long."""
    return clues.loss.joined_before or _began_behind_joining(clues)


def _began_behind_joining(clues: Clues) -> bool:
    loss, connected_at = clues.loss, clues.link.connected_at
    direct = loss.from_socket == loss.stream and not clues.to_proxy
    if not direct or connected_at is None or loss.subscribed_at is None:
        return False
    return reaches(later_by(clues.lane.announced_at, _joined_at(clues)), SURELY_JOINED_WITHIN)


def came_later(clues: Clues) -> bool:
    """The receiver came, or subscribed, when the lane had begun."""
    return exceeds(_joined_at(clues), clues.lane.announced_at)


def lived_on_with_nothing_left(clues: Clues) -> bool:
    """Both ends lived on for long enough to be rid of these, and they were not what it had left to read when it was closed: a proxy reads all that comes."""
    sender_did = clues.sender.ended_at is None or exceeds(
        later_by(clues.sender.ended_at, clues.sent_at), IDLE_SECONDS
    )
    receiver_did = exceeds(later_by(clues.receiver.ended_at, clues.sent_at), IDLE_SECONDS)
    return sender_did and receiver_did and (clues.to_proxy or clues.receiver.unread is False)


def came_too_late(clues: Clues) -> bool:
    """Of a lane of which nothing came: these had been sent, or most of them, when its receiver joined."""
    if not may_never_have_joined(clues):
        return False
    if sent_before_joining(clues) or never_joined(clues):
        return True
    if dropped_before_others(clues):
        return _mostly_before(clues)
    return came_later(clues) and lived_on_with_nothing_left(clues)


def dropped_or_too_late(clues: Clues) -> bool:
    """The same may have been dropped at a full pipe, and by when the receiver joined most of them had not been sent."""
    return (
        may_never_have_joined(clues)
        and not sent_before_joining(clues)
        and not never_joined(clues)
        and dropped_before_others(clues)
        and not _mostly_before(clues)
    )


def _mostly_before(clues: Clues) -> bool:
    joined_at = _joined_at(clues)
    sent_by = first_of(clues.sent_after, clues.sent_at)
    return exceeds(later_by(joined_at, clues.lane.announced_at), later_by(sent_by, joined_at))


def _joined_at(clues: Clues) -> float | None:
    return highest((clues.link.connected_at, clues.loss.subscribed_at))
