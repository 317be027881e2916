"""A socket was closed with messages still queued or unread."""

from hopwatch_judge import costs, ends, pipes
from hopwatch_judge.cause import Cause
from hopwatch_judge.claim import Claim
from hopwatch_judge.clues import claims
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import NOBODY, Evidence, Incident
from hopwatch_judge.socket_types import PUBLISHING_TYPES

ONE_WAY = ("PUSH", *PUBLISHING_TYPES)
BOTH_WAYS = ("DEALER", "ROUTER", "PAIR")


def _end(incident: Incident) -> Evidence:
    """Which end was closed, and how."""
    if incident.thrown_away:
        return _lingered(incident)
    if incident.receiver_left_first or incident.sender_end != "closed":
        return ends.receiver_end(incident)
    if incident.receiver_end == "closed":
        text = f"both {incident.sender} and {incident.receiver} were closed; nothing came after"
        return {"kind": "end", "text": text}
    return ends.sender_end(incident)


def _lingered(incident: Incident) -> Evidence:
    text = f"{incident.sender} was closed first, and its LINGER was 0"
    if incident.receiver_end == "closed":
        unread = "" if incident.left_unread is None else ", with nothing unread"
        text += f"; {incident.receiver} was closed later{unread}"
    return {"kind": "linger", "text": text, "linger": incident.linger}


def _advise(incident: Incident) -> list[str]:
    """How the ends have to be closed, by which was closed first."""
    if incident.receiver == NOBODY:
        return [
            f"Nobody was connected to {incident.sender}: check its endpoint, and whether its peer runs.",
            "LINGER keeps queued messages for so long after the close; at 0 they are dropped at once.",
        ]
    if incident.thrown_away:
        return [
            (
                f"Set LINGER of {incident.sender} to the milliseconds that sending what is queued may take{_milliseconds(incident)} (-1, libzmq's default: "
                "as long as it takes, in which Context.term() waits, for ever if its peer does not read), and close it without linger=0; "
                "Context.destroy(linger=0) closes every socket so."
            ),
            _acknowledged(incident),
        ]
    if incident.sender_end == "closed" and not incident.receiver_left_first:
        return [*_short_linger(incident), *_sender_closed(incident)]
    return [_read_first(incident)]


def _short_linger(incident: Incident) -> list[str]:
    if not incident.linger or incident.linger < 0 or incident.transport not in ("tcp", "ipc"):
        return []
    return [
        (
            f"LINGER of {incident.sender} is {incident.linger} ms: what it has not passed on so long after its close it throws away. Raise it, if that "
            f"may take longer{_milliseconds(incident)} (-1: as long as it takes, in which Context.term() waits)."
        )
    ]


def _milliseconds(incident: Incident) -> str:
    """How long what was lost would have taken at the most that the receiver was seen to read; nothing if not known."""
    read = costs.reads(incident)
    if not read:
        return ""
    took = max(1, round(incident.lost / read * 1000))
    return f": the {incident.lost} that were lost, {took} ms at the {costs.figure(read)} messages/s that {incident.receiver} was seen to read"


def _sender_closed(incident: Incident) -> list[str]:
    """By transport: only over ipc does the receiver's mark decide what a sender that closes takes with it."""
    if incident.transport == "ipc" and incident.rcvhwm:
        keeping = ["Or use tcp, which keeps what is unread."] if incident.sender_type == "PUSH" else []
        return [_higher_mark(incident, incident.rcvhwm), *keeping, _acknowledged(incident)]
    if incident.transport == "tcp" and incident.sender_type in BOTH_WAYS:
        return [
            (
                f"Let {incident.sender} read what {incident.receiver} sends it until the answer to its last message has come, and close then. Over tcp, "
                f"what comes for a {incident.sender_type} that closes cuts off what {incident.receiver} has not read of it, though it lingers."
            )
        ]
    return [_read_first(incident), *_stays(incident)]


def _higher_mark(incident: Incident, mark: int) -> str:
    takes = costs.memory(incident, mark + incident.lost)
    return (
        f"RCVHWM of {incident.receiver} ({mark}) should be at least as large as what can be unread when "
        f"{incident.sender} closes: here {mark + incident.lost}, as many as it holds and the {incident.lost} that were lost behind those"
        f"{f' ({takes} at {incident.receiver})' if takes else ''}."
    )


def _stays(incident: Incident) -> list[str]:
    """Why a higher mark would not help."""
    if incident.transport == "inproc":
        return [
            f"No mark decides this: over inproc, what {incident.sender} sent before it closed stays to be read."
        ]
    if incident.transport == "tcp" and incident.sender_type in ONE_WAY:
        but = (
            f", unless {incident.receiver} subscribes or unsubscribes before it has read that"
            if incident.sender_type in PUBLISHING_TYPES
            else ""
        )
        return [
            (
                f"RCVHWM of {incident.receiver} does not decide this: over tcp, what {incident.sender} passed on before it closed stays "
                f"to be read{but}."
            )
        ]
    return []


def _acknowledged(incident: Incident) -> str:
    return f"Or let {incident.sender} close only after the receiver has acknowledged the last message."


def _read_first(incident: Incident) -> str:
    return (
        f"Read {incident.receiver} until the sender has said that it is done, and close only then; "
        "let the sender wait for an acknowledgement of its last message."
    )


def _which(incident: Incident) -> str:
    if incident.thrown_away:
        return "{sender} was closed with LINGER 0, which throws away what is still queued, and nothing came after"
    return "a socket was closed with {these} still unread"


def _explain(clues: Clues) -> Claim | None:
    """An end went first, with messages in a queue."""
    taken = claims.end(clues)
    return taken[1] if taken and taken[0] == CAUSE.name else None


CAUSE = Cause(
    name="closed",
    because="a socket was closed with {these} still queued or unread",
    seen=(_end, ends.still_there, ends.not_watched, pipes.marks),
    advise=_advise,
    special=_which,
    explain=_explain,
)
