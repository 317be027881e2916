"""The pipe was full in bursts only: it holds less than one of them brings."""

from hopwatch_judge import pipes
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import FIT, Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.clues.kernel import NETWORK
from hopwatch_judge.costs import figure, memory, reads
from hopwatch_judge.incident import Evidence, Incident

BURSTS = "the pipe was full in bursts only; {receiver} "
CAUGHT_UP, KEEPS_UP = "had caught up in between", "keeps up with the mean rate"


def _bursts(incident: Incident) -> Evidence | None:
    share = incident.loss_share
    if share is None:
        return None
    percent = "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"
    text = f"the losses span {percent} of the time from its first message to its last"
    return {"kind": "bursts", "text": text, "loss_percent": round(share * 100)}


def _caught_up(incident: Incident) -> Evidence | None:
    if incident.keeps_up:
        return None
    if incident.went_on:
        text = (
            f"behind its last loss {incident.receiver} got everything again, for as long as the losses had lasted, and more messages "
            "than both marks let wait"
        )
        return {"kind": "went_on", "text": text}
    text = f"{incident.receiver} had nothing left to read in between, while {incident.sender} went on sending"
    return {"kind": "caught_up", "text": text}


def _advise(incident: Incident) -> list[str]:
    return [
        f"{_higher_mark(incident)}. The receiver {KEEPS_UP if incident.keeps_up else CAUGHT_UP}.",
        *_cost_of_it(incident),
        f"Or let {incident.sender} send its bursts more evenly.",
    ]


def _higher_mark(incident: Incident) -> str:
    """Which SNDHWM would have held the largest burst of all incidents of the hop."""
    burst = _largest_burst(incident)
    why = f"as a sender counts what was read only at each half of its mark{_in_time(incident)}"
    if not incident.sndhwm:
        return (
            f"Raise SNDHWM of {incident.sender} to at least twice the sum of what it is and {burst}, which the largest burst on this hop lost: "
            f"twice, {why}"
        )
    held = _held(incident)
    by = "it" if held == incident.sndhwm else "both marks"
    return (
        f"Raise SNDHWM of {incident.sender} from {incident.sndhwm} to at least {incident.sndhwm + held + 2 * burst}: room for the {held} that {by} held "
        f"and the {burst} that the largest burst on this hop lost, twice, {why}"
    )


def _cost_of_it(incident: Incident) -> list[str]:
    """What that mark costs while it is full."""
    if not incident.sndhwm:
        return []
    held, read = _held(incident), reads(incident)
    more = held + 2 * _largest_burst(incident)
    takes = memory(incident, more)
    room = f", {takes} at {incident.sender} for each peer that is so slow" if takes else ""
    late = f", and one may wait {figure((held + more) / read)} s to be read" if read else ""
    return [f"That costs, while it is full, {more} messages more{room}{late}."]


def _largest_burst(incident: Incident) -> int:
    return incident.largest_burst or incident.longest


def _held(incident: Incident) -> int:
    """How many the marks let wait; over inproc those of both ends make one queue."""
    of_receiver = incident.rcvhwm if incident.transport == "inproc" else 0
    return (incident.sndhwm or 0) + (of_receiver or 0)


def _in_time(incident: Incident) -> str:
    """A bound endpoint of tcp or ipc gives connections the mark that it had at its bind (instrumentation/hopwatch/rules/marks.py)."""
    if incident.sender_connects or incident.transport == "inproc":
        return ""
    return ". Set it before bind: an endpoint that is bound keeps its mark"


def _keeps_up(incident: Incident) -> str | None:
    return BURSTS + KEEPS_UP if incident.keeps_up else None


def _explain(clues: Clues) -> Claim | None:
    """The pipe was full in bursts only, which the receiver got over, and never was it shown to be too slow for longer."""
    full = claims.pipe_of_receiver(clues)
    in_bursts = clues.pressure.in_bursts and clues.overloaded is None
    return FIT if full and in_bursts and clues.limited_by != NETWORK else None


CAUSE = Cause(
    name="hwm_too_low",
    because=BURSTS + CAUGHT_UP,
    seen=(pipes.full_pipe, pipes.rates, _bursts, _caught_up, pipes.sent_on, pipes.marks),
    advise=_advise,
    special=_keeps_up,
    explain=_explain,
)
