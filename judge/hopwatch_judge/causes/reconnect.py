"""The connection was down, or took with it what was in its buffers."""

from hopwatch_judge import costs, ends
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import FIT, Claim
from hopwatch_judge.clues import claims, cuts
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import Incident
from hopwatch_judge.socket_types import PUBLISHING_TYPES

WAITING = ("PUSH", "DEALER")


def _advise(incident: Incident) -> list[str]:
    takes = costs.length(incident)
    here = f" (here {incident.lost} were missing: {takes})" if takes else ""
    return [
        f"Find out {_why(incident)}",
        f"If these messages matter, keep the last ones at the sender{here}, and let the receiver ask for what is missing after a reconnection.",
    ]


def _why(incident: Incident) -> str:
    """What to find out, and what becomes of messages then."""
    if incident.took_over:
        return (
            f"why the proxy ended in whose place {incident.sender} came; what it still had is lost with it, and what {incident.sender} passes on "
            "before its receivers are back."
        )
    went_down = f"the connection of {incident.hop} went down"
    if incident.is_dark and not incident.downs:
        went_down = f"a connection of {incident.sender} to somebody who is not known went down"
    elif incident.downs == 0:
        went_down = f"{incident.sender} was not connected to {incident.receiver}, or to who was there before"
    return f"why {went_down}; {_lost_with_it(incident)}"


def _lost_with_it(incident: Incident) -> str:
    """A sender that connected keeps its queue, one that is bound does not."""
    sender, type_ = incident.sender, incident.sender_type
    if type_ not in PUBLISHING_TYPES + WAITING:
        return "what is in its buffers is lost, and what is sent meanwhile may be."
    bound = f"what is queued at {sender} for it" + (
        ", and what is sent meanwhile" if type_ in PUBLISHING_TYPES else ""
    )
    keeps = (
        f"{sender} keeps up to its SNDHWM of what is queued or sent meanwhile, and sends that when the connection is "
        "back (with ZMQ_IMMEDIATE it does not)"
    )
    more = _no_room(incident) if type_ in PUBLISHING_TYPES else ""
    if incident.immediate == 1 and incident.sender_connects is not False:
        return (
            f"what is in its buffers is lost and, as ZMQ_IMMEDIATE is on at {sender}, so is {bound}. Without it, the end that connected keeps "
            "up to its SNDHWM, and sends that when the connection is back."
        )
    if incident.sender_connects is None:
        return f"what is in its buffers is lost. If {sender} is bound, so is {bound}; if it connected, {keeps}.{more}"
    if incident.sender_connects:
        return f"what is in its buffers is lost. As the end that connected, {keeps}.{more}"
    return f"what is in its buffers is lost and, as {sender} is bound, so is {bound}."


def _no_room(incident: Incident) -> str:
    """A higher mark only helps where a full pipe was met."""
    if not incident.onsets:
        return " What finds no room there it drops."
    return f" What finds no room there it drops: a higher mark keeps more{_all_of_them(incident)}."


def _all_of_them(incident: Incident) -> str:
    """Which SNDHWM keeps whatever was lost, and what that takes while it is full."""
    if not incident.sndhwm:
        return ""
    mark = incident.sndhwm + incident.lost
    takes = costs.memory(incident, mark)
    return f", at {mark} all that it dropped of these{f' ({takes} while it is full)' if takes else ''}"


def _explain(clues: Clues) -> Claim | None:
    """The connection was down, or only its sender saw it go long before the receiver ended, or nobody was at the receiver's place."""
    cut_off = claims.end(clues)
    if cut_off and cut_off[0] == CAUSE.name:
        return FIT
    if claims.full_pipe(clues) and not clues.lacked_by_another and cuts.nobody_was_there(clues):
        return FIT
    at_beginning = clues.loss.part == "head"
    return claims.cut(clues) if at_beginning or not cuts.hung_up(clues) else None


CAUSE = Cause(
    name="reconnect",
    because="the connection went down and {they} sent meanwhile, or in its buffers",
    seen=(ends.downs,),
    advise=_advise,
    explain=_explain,
)
