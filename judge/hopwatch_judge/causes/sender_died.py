"""The sender's process ended with messages in its queue."""

from hopwatch_judge import ends, marks
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import Evidence, Incident
from hopwatch_judge.socket_types import DROPPING_TYPES


def _killed(incident: Incident) -> Evidence | None:
    return ends.killed_for_memory(incident.sender, incident.sender_killed)


def _advise(incident: Incident) -> list[str]:
    return [
        *marks.more_memory(incident, incident.sender, incident.sender_killed, incident.sndhwm),
        f"Find out why the process of {incident.sender} ended. Messages queued in a process die with it.",
        _lower_mark(incident),
    ]


def _lower_mark(incident: Incident) -> str:
    """What a lower SNDHWM does for messages that die with their sender."""
    now = marks.mark_now(incident, incident.sndhwm)
    if incident.sender_type in DROPPING_TYPES:
        return (
            f"A lower SNDHWM{now} would not have saved them: what has no room in its queue a {incident.sender_type} drops at once; "
            "messages that must not be lost have to be stored until acknowledged."
        )
    bound = marks.no_more_than(incident, marks.lower_mark(incident, incident.sndhwm))
    return (
        f"A lower SNDHWM{now} bounds how many that can be{bound}, beside some kilobytes that are being written, and a send beyond that waits or is refused, so that the application "
        "knows; messages that must not be lost have to be stored until acknowledged."
    )


def _explain(clues: Clues) -> Claim | None:
    """An end went first, with messages in a queue."""
    taken = claims.end(clues)
    return taken[1] if taken and taken[0] == CAUSE.name else None


CAUSE = Cause(
    name="sender_died",
    because="{sender} ended with {these} still in its queue",
    seen=(ends.sender_end, _killed, ends.still_there, ends.not_watched),
    advise=_advise,
    explain=_explain,
)
