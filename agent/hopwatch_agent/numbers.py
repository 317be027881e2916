"""Which events of a process were read: each counts once, and those that went unread are counted as lost.

The head of a segment repeats events with their own numbers, the lowest first. All are below its ``first``.
"""

from msgspec.structs import replace

from hopwatch_agent.live.state import ProcessState

STANDING_LINES = 100
"""So many lines at the end of one head are heeded. They list more than an agent has room for."""

MISSED_KEPT = 100
"""So many holes within one segment are remembered until the next head."""


def begun(first: int, process: ProcessState) -> ProcessState:
    """Return the process at a segment whose own events begin with that number."""
    is_behind = process.next_n < first or bool(process.missed)
    return replace(process, first=first, behind=STANDING_LINES if is_behind else 0)


def taken(n: int, process: ProcessState) -> ProcessState | None:
    """Return the process with that event read; None if it was read before."""
    if n >= process.next_n:
        return replace(counted_to(n, process), next_n=n + 1)
    if any(start <= n <= end for start, end in process.missed):
        above = tuple((max(start, n + 1), end) for start, end in process.missed if end > n)
        return replace(process, missed=above)
    return None


def counted_to(n: int, process: ProcessState) -> ProcessState:
    """Return the process with every number below counted as lost that was not read.

    What a head lacks stands no more. Other holes are remembered, since the next head may repeat their events.
    """
    if n <= process.next_n:
        return process
    missed = process.missed
    if n > process.first and len(missed) < MISSED_KEPT:
        missed = (*missed, (process.next_n, n - 1))
    lost = process.events_lost + n - process.next_n
    return replace(process, next_n=n, events_lost=lost, missed=missed)


def past_standing(process: ProcessState, *, last: bool) -> ProcessState:
    """Return the process behind a line that ends a head. Behind the last one, what it lacks never comes."""
    if last:
        return replace(process, missed=(), behind=0)
    return replace(process, behind=max(0, process.behind - 1))
