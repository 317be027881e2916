"""Advice on what was lost as a socket was closed, or as a connection went down."""

from hopwatch_analysis.report import costs
from hopwatch_analysis.report.incident import NOBODY, Incident
from hopwatch_analysis.sockets.nodes import PUBLISHING_TYPES

ONE_WAY = ("PUSH", *PUBLISHING_TYPES)
BOTH_WAYS = ("DEALER", "ROUTER", "PAIR")
WAITING = ("PUSH", "DEALER")


def reconnect(incident: Incident) -> list[str]:
    """What became of messages around a disconnection, and how to do without them."""
    went_down = f"the connection of {incident.hop} went down"
    if incident.is_dark and not incident.downs:
        went_down = f"a connection of {incident.sender} to somebody who is not known went down"
    elif incident.downs == 0:
        went_down = f"{incident.sender} was not connected to {incident.receiver}, or to who was there before"
    why = f"why {went_down}; {_lost_with_it(incident)}"
    if incident.took_over:
        why = (
            f"why the proxy ended in whose place {incident.sender} came; what it still had is lost with it, and what {incident.sender} passes on "
            "before its receivers are back."
        )
    takes = costs.length(incident, incident.lost)
    here = f" (here {incident.lost} were missing: {takes})" if takes else ""
    return [
        f"Find out {why}",
        f"If these messages matter, keep the last ones at the sender{here}, and let the receiver ask for what is missing after a reconnection.",
    ]


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


def closed(incident: Incident) -> list[str]:
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


def _sender_closed(incident: Incident) -> list[str]:
    """By transport: only over ipc does the receiver's mark decide what a sender that closes takes with it."""
    if incident.transport == "ipc" and incident.rcvhwm:
        keeping = ["Or use tcp, which keeps what is unread."] if incident.sender_type == "PUSH" else []
        return [_higher_mark(incident), *keeping, _acknowledged(incident)]
    if incident.transport == "tcp" and incident.sender_type in BOTH_WAYS:
        return [
            (
                f"Let {incident.sender} read what {incident.receiver} sends it until the answer to its last message has come, and close then. Over tcp, "
                f"what comes for a {incident.sender_type} that closes cuts off what {incident.receiver} has not read of it, though it lingers."
            )
        ]
    return [_read_first(incident), *_stays(incident)]


def _higher_mark(incident: Incident) -> str:
    mark = incident.rcvhwm or 0
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
    """How long what was lost would have taken."""
    took = costs.time_to_send(incident, incident.lost)
    if took is None:
        return ""
    return f": the {incident.lost} that were lost, {max(1, round(took * 1000))} ms at the {costs.figure(incident.lost / took)} messages/s that {incident.receiver} was seen to read"


def _acknowledged(incident: Incident) -> str:
    return f"Or let {incident.sender} close only after the receiver has acknowledged the last message."


def _read_first(incident: Incident) -> str:
    return (
        f"Read {incident.receiver} until the sender has said that it is done, and close only then; "
        "let the sender wait for an acknowledgement of its last message."
    )
