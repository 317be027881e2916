"""What each line of a journal's event log has: its segment, or its number and time, and the kinds of values."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

FORMAT = 2
INT64_MAX = 2**63 - 1

Id = Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\Z")]
Hex = Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{2})*\Z")]
Count = Annotated[int, Meta(ge=0, le=INT64_MAX)]
Nanoseconds = Annotated[int, Meta(ge=0, le=INT64_MAX)]
Int64 = Annotated[int, Meta(ge=-INT64_MAX, le=INT64_MAX)]
Slot: TypeAlias = tuple[Count, Count] | None
LaneNumbers = tuple[Id, Count, Count, Count, Count, Count, Count]
"""stream, lane, and words 3 to 7 of the lane's slot: count, more_frames, first, next, newest_sent_at"""


class Place(Struct, frozen=True, kw_only=True):
    """Where a process runs in Kubernetes, as far as its pod's specification says. ``owner``: kind and name of the workload."""

    namespace: str | None = None
    pod: str | None = None
    container: str | None = None
    node: str | None = None
    owner: str | None = None


class Segment(Struct, frozen=True, tag_field="event", tag="segment", kw_only=True):
    """The first line of a segment: whose it is."""

    process: Id
    index: Count
    first: Annotated[int, Meta(ge=1, le=INT64_MAX)]
    host: Annotated[str, Meta(min_length=1, max_length=255)]
    pid: Count = 0
    command: str = ""
    started: Nanoseconds = 0
    hopwatch: str = ""
    pyzmq: str = ""
    libzmq: str = ""
    counts_in: str = ""
    place: Place | None = None


class Standing(Struct, frozen=True, tag_field="event", tag="standing", kw_only=True):
    """The end of a segment's head: the open sockets of the process, each with its open connections.

    A long list takes several lines. ``after``: the last entry of the line before; ``last``: no line follows.
    ``left_out``: how many events the head had no room for.
    """

    t: Nanoseconds
    sockets: dict[Id, list[Count]]
    after: tuple[Id, Count] | None = None
    last: bool = True
    left_out: Count = 0


class Event(Struct, frozen=True, tag_field="event", kw_only=True, gc=False):
    """What every event has: its number in the process, and when it was."""

    n: Annotated[int, Meta(ge=1, le=INT64_MAX)]
    t: Nanoseconds
