"""The receiver's process ended with messages unread, or under way to it."""

from hopwatch_judge import ends, marks
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.costs import figure, sent_to_it, size
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.socket_types import DROPPING_TYPES

KERNEL_HOLDS = 100_000
"""Bytes of messages that a TCP connection holds at the least, where nobody has set its buffers."""


def _killed(incident: Incident) -> Evidence | None:
    return ends.killed_for_memory(incident.receiver, incident.receiver_killed)


def _advise(incident: Incident) -> list[str]:
    return [
        *marks.more_memory(incident, incident.receiver, incident.receiver_killed, incident.rcvhwm),
        f"Find out why the process of {incident.receiver} ended. What had reached it unread, and what was under way to it, died with it.",
        f"{_lower_mark(incident)} Work that must be done needs an acknowledgement, and to be sent again without one.",
    ]


def _lower_mark(incident: Incident) -> str:
    """What a lower RCVHWM does for messages that die with their receiver, and what it does to the sender."""
    if _kernel_may_hold_all(incident):
        now = marks.mark_now(incident, incident.rcvhwm)
        return (
            f"A lower RCVHWM{now} alone may not make it less: these were {size(incident.lost * (incident.mean_bytes or 0))} in all, which the kernel's "
            f"buffers hold beside it, if nobody has made them smaller (RCVBUF, SNDBUF)."
        )
    keeps_its_queue = incident.sender_connects and incident.immediate != 1
    return _inbox_alone(incident) if keeps_its_queue else _both_queues(incident)


def _kernel_may_hold_all(incident: Incident) -> bool:
    """Over TCP, what is behind a full mark waits in its buffers."""
    return (
        incident.transport == "tcp" and incident.lost * (incident.mean_bytes or KERNEL_HOLDS) < KERNEL_HOLDS
    )


def _inbox_alone(incident: Incident) -> str:
    """A sender that connected keeps what it has queued for whoever comes."""
    now = marks.mark_now(incident, incident.rcvhwm)
    lower = marks.lower_mark(incident, incident.rcvhwm)
    asked = sent_to_it(incident)
    soon = ""
    if lower is not None and incident.rcvhwm and asked:
        soon = f" ({figure((incident.rcvhwm - lower) / asked)} s sooner, when nobody reads)"
    then = "and drops" if incident.sender_type in DROPPING_TYPES else "and sends wait"
    return (
        f"A lower RCVHWM{now} bounds how many that can be{marks.no_more_than(incident, lower)}, beside what the kernel holds; the pipe of "
        f"{incident.sender} is full the sooner for it{soon}, {then}."
    )


def _both_queues(incident: Incident) -> str:
    """What a bound sender has queued goes with its receiver (tests/instrumentation/test_what_reconnecting_keeps.py)."""
    sender, sndhwm, rcvhwm = incident.sender, incident.sndhwm, incident.rcvhwm
    why = "as it is bound"
    if incident.sender_connects is None:
        why = "if it is bound"
    elif incident.sender_connects:
        why = "as ZMQ_IMMEDIATE is on there"
    together = f": together they hold up to {sndhwm + rcvhwm}" if sndhwm and rcvhwm else ""
    if incident.sender_type in DROPPING_TYPES:
        then = f"lower ones make {sender} drop the sooner, and save nothing"
    else:
        then = f"lower ones let fewer be lost so, and sends of {sender} wait the sooner"
    return (
        f"RCVHWM of {incident.receiver}{marks.mark_now(incident, rcvhwm)} alone does not bound how many that can be: what is queued for it at {sender} is lost with it, "
        f"{why}, up to SNDHWM{marks.mark_now(incident, sndhwm)}. Both marks do, beside what the kernel holds{together}; {then}."
    )


def _explain(clues: Clues) -> Claim | None:
    """An end went first, with messages in a queue."""
    taken = claims.end(clues)
    return taken[1] if taken and taken[0] == CAUSE.name else None


CAUSE = Cause(
    name="receiver_died",
    because="{receiver} ended before it had read {them}",
    seen=(ends.receiver_end, _killed, ends.not_watched),
    advise=_advise,
    explain=_explain,
)
