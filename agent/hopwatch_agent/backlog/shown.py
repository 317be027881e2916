"""The backlog as it is shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from msgspec import Struct

from hopwatch_agent.live.state import LaneKey


class Backlog(Struct, frozen=True, gc=False):
    """Messages on their way, and how long the oldest of them has been, in seconds.

    ``oldest_at_least``: 0 where all may have been dropped; ``oldest_at_most``: None where it is not known.
    """

    at_most: int
    at_least: int
    oldest_at_least: float = 0.0
    oldest_at_most: float | None = None


@dataclass(frozen=True)
class BacklogShown:
    """The backlog of lanes, at their sending and receiving ends, and of sockets: of what each sends, and of what each receives."""

    lanes: Mapping[LaneKey, Backlog] = field(default_factory=dict)
    sent: Mapping[str, Backlog] = field(default_factory=dict)
    received: Mapping[str, Backlog] = field(default_factory=dict)


def summed(backlogs: Iterable[Backlog]) -> Backlog:
    """Several, one at least, as one."""
    every = list(backlogs)
    longest = [backlog.oldest_at_most for backlog in every]
    known = [seconds for seconds in longest if seconds is not None]
    return Backlog(
        at_most=sum(backlog.at_most for backlog in every),
        at_least=sum(backlog.at_least for backlog in every),
        oldest_at_least=max(backlog.oldest_at_least for backlog in every),
        oldest_at_most=max(known) if len(known) == len(every) else None,
    )
