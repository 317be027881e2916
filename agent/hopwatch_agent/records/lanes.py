"""Events of lanes, and of what was not delivered."""

from typing import Annotated

from msgspec import Meta

from hopwatch_agent.records.fields import INT64_MAX, Count, Event, Hex, Id, LaneNumbers, Nanoseconds, Slot


class LaneAnnounced(Event, frozen=True, tag="lane"):
    """A lane exists at this end from here on."""

    socket: Id
    stream: Id
    lane: Count
    topic: Hex = ""
    slot: Slot = None
    sequence: str | None = None
    epoch: Count = 0


class Lanes(Event, frozen=True, tag="lanes"):
    """The numbers of some lanes."""

    socket: Id
    lanes: list[LaneNumbers]
    final: bool = False


class Gap(Event, frozen=True, tag="gap"):
    """Numbers were found missing."""

    socket: Id
    stream: Id
    lane: Count
    first: Count
    last: Count
    lost: Count | None = None
    before: Count | None = None
    after: Count | None = None
    before_sent_at: Nanoseconds | None = None
    after_sent_at: Nanoseconds | None = None
    received: Count | None = None


class Late(Event, frozen=True, tag="late"):
    """A number of an earlier gap arrived after all."""

    socket: Id
    stream: Id
    lane: Count
    number: Count


class Skipped(Event, frozen=True, tag="skipped"):
    """Numbers that were not owed."""

    socket: Id
    stream: Id
    lane: Count
    first: Count
    last: Count


class Onset(Event, frozen=True, tag="onset"):
    """A send met a full pipe; messages that are not stamped have no lane."""

    socket: Id
    number: Count
    lane: Count | None = None
    lane_number: Count | None = None


class ProbingStopped(Event, frozen=True, tag="probing_stopped"):
    """Full pipes are not seen any more."""

    socket: Id


class Unroutable(Event, frozen=True, tag="unroutable"):
    """A ROUTER swallowed this message and the next ones to the same peer, ``messages`` in all."""

    socket: Id
    number: Count
    lane: Count | None = None
    lane_number: Count | None = None
    messages: Annotated[int, Meta(ge=1, le=INT64_MAX)] = 1
    reason: str = ""
    peer: Hex = ""
