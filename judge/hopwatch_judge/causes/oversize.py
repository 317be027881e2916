"""The receiver hangs up on messages that are too large for it."""

from hopwatch_judge import ends
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import Claim
from hopwatch_judge.clues import claims, cuts
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.costs import size
from hopwatch_judge.incident import Evidence, Incident


def _option(incident: Incident) -> Evidence:
    bound = f"{incident.receiver} has ZMQ_MAXMSGSIZE {incident.maxmsgsize}, and hangs up on who sends it more"
    if incident.hung_up == "proven":
        seen = f"what {incident.sender} sent at about that time was larger on average"
    elif incident.hung_up == "silent":
        seen = (
            f"it never called {incident.sender} again, as it would have after a cut, and one of the messages that were sent by then may have "
            "been larger"
        )
    else:
        seen = f"{incident.sender} sent so many bytes at about that time that one of its messages may have been larger"
    text = f"{bound}; {seen}"
    return {"kind": "option", "text": text, "option": "maxmsgsize", "value": incident.maxmsgsize}


def _advise(incident: Incident) -> list[str]:
    return [
        (
            f"Raise ZMQ_MAXMSGSIZE of {incident.receiver} (now {incident.maxmsgsize}; set it before it binds or connects) above the largest message of {incident.sender}, or send "
            f"smaller ones: {_largest(incident)}. The receiver has to have memory for it{_full_of_them(incident)}."
        ),
        "The one that is too large is lost with the connection, and with it what was under way behind it. A receiver that connected does not connect again.",
    ]


def _largest(incident: Incident) -> str:
    """How large the messages of the sender are, as a clause."""
    usual = f"those are {size(incident.mean_bytes)} on average, and " if incident.mean_bytes else ""
    if not incident.largest_then:
        return f"{usual}how large the largest was is not known"
    return f"{usual}one that it sent when {incident.receiver} hung up had about {size(incident.largest_then)}, by the bytes that it counted"


def _full_of_them(incident: Incident) -> str:
    """What a bound that lets the largest in may cost."""
    if not incident.largest_then or not incident.rcvhwm:
        return ""
    takes = size(incident.rcvhwm * incident.largest_then)
    return f": a queue of {incident.rcvhwm} (RCVHWM) full of such takes {takes}"


def _explain(clues: Clues) -> Claim | None:
    """The receiver hung up at about that time."""
    at_beginning = clues.loss.part == "head"
    return claims.cut(clues) if not at_beginning and cuts.hung_up(clues) else None


CAUSE = Cause(
    name="oversize",
    because="{receiver} hung up on a message larger than its ZMQ_MAXMSGSIZE, and {they} sent meanwhile, or in its buffers",
    seen=(ends.downs, _option),
    advise=_advise,
    explain=_explain,
)
