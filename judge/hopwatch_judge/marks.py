"""What marks cost and buy, in words: messages as memory and as seconds, where the figures are known."""

from hopwatch_judge.costs import about, figure, memory, reads, sent_to_it, size, takes_each
from hopwatch_judge.incident import Incident, KilledForMemory

FEWEST_FOR_EXAMPLE = 10
PART = 10
MATTERS = 0.05
"""A queue that takes less than such a part of what a process used is not why it used so much."""


def mark_now(incident: Incident, mark: int | None) -> str:
    """What a mark is, and what a queue of so many takes, in brackets; nothing if it is not known."""
    if mark is None:
        return ""
    if mark == 0:
        return " (now 0, unlimited)"
    takes = memory(incident, mark)
    return f" (now {mark}, {takes} for each peer)" if takes else f" (now {mark})"


def time_bought(incident: Incident, by: str = "SNDHWM or RCVHWM") -> str:
    """How long a higher mark lasts where more is sent than read, and what it costs."""
    sent, read = sent_to_it(incident), reads(incident)
    takes = memory(incident, 1000)
    if not sent or not read or sent <= read:
        cost = f" 1000 messages take {takes}." if takes else ""
        return f"it lasts until the pipe is full again.{cost}"
    cost = f" and take {takes}" if takes else ""
    # on average, pauses included: while it sends, it sends faster
    most = " at most" if incident.overload_rate is None else ""
    return (
        f"each 1000 messages of {by} last{most} {figure(1000 / (sent - read))} s at these rates{cost}, and what is read is read up to "
        f"{figure(1000 / read)} s later."
    )


def lower_mark(incident: Incident, mark: int | None) -> int | None:
    """A mark under which only a part of what was lost could have been; None where that would say nothing, or where more was lost than the mark
    let wait: then it was not what bounded that.
    """
    if incident.lost < FEWEST_FOR_EXAMPLE or (mark and incident.lost > mark):
        return None
    return incident.lost // PART


def no_more_than(incident: Incident, lower: int | None) -> str:
    """What that mark bounds; nothing where there is no example."""
    if lower is None:
        return ""
    takes = memory(incident, lower)
    return f": at {lower}, no more than {lower}{f' ({takes})' if takes else ''}"


def more_memory(incident: Incident, name: str, killed: KilledForMemory | None, mark: int | None) -> list[str]:
    """What helps a process that was killed for memory. No figures of one that may not be the one that was killed."""
    if killed is None:
        return []
    now = ""
    if killed.limit is not None:
        now = f" (now {size(killed.limit)}{_with_full_queue(incident, mark, killed.limit) if killed.of == 1 else ''})"
    return [f"Give the process of {name} more memory{now}, or lower marks: {_queues_take(incident, mark)}."]


def _with_full_queue(incident: Incident, mark: int | None, limit: int) -> str:
    """What a process has to have that used ``limit`` bytes and is to hold one full queue more, as a clause; nothing where that is not known, or
    where the queue is too small to be why.
    """
    if not mark or not incident.mean_bytes:
        return ""
    queue = mark * takes_each(incident.mean_bytes)
    if queue < MATTERS * limit:
        return ""
    return f"; with one full queue more {about(incident.mean_bytes)} {size(limit + queue)}"


def _queues_take(incident: Incident, mark: int | None) -> str:
    """How much the queues of a process may take, as a clause."""
    if mark == 0:
        return "its queues have no bound (mark 0)"
    if mark is None or not incident.mean_bytes:
        return "a queue takes its mark times the size of a message"
    takes = memory(incident, mark)
    return f"a queue takes up to {mark} messages of {size(incident.mean_bytes)}, {takes} for each peer"
