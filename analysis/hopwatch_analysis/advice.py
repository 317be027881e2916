"""Advice: what to change, from the facts of an incident alone."""

from collections.abc import Callable

from hopwatch_analysis.records import NOBODY, Incident, KilledForMemory

LOSSY = 0.01


def advice(incident: Incident) -> list[str]:
    """What would have prevented the incident, most useful first."""
    give = ADVICE.get(incident.cause)
    return give(incident) if give else []


def kept_up(incident: Incident) -> str:
    """What is known of a receiver that lost messages in bursts only."""
    return "keeps up with the mean rate" if incident.keeps_up else "had caught up in between"


def _slow_receiver(incident: Incident) -> list[str]:
    rates = ""
    if incident.mean_rate and incident.capacity:
        rates = f": it reads {incident.capacity:.0f} messages/s, and gets sent {incident.mean_rate:.0f}"
    return [
        f"Make {incident.receiver} faster, or give it less{rates}. Take its work off the receiving thread, or spread it over several receivers.",
        "If it only needs the newest messages, drop on purpose: subscribe to less, or skip old ones when it lags.",
        f"A higher mark only delays the loss: {_time_bought(incident)}",
    ]


def _time_bought(incident: Incident) -> str:
    excess = (incident.mean_rate or 0) - (incident.capacity or 0)
    if incident.mean_rate and incident.capacity and excess > 0:
        return f"each 1000 messages of SNDHWM or RCVHWM last {1000 / excess:.2g} s at these rates."
    return "it lasts until the pipe is full again."


def _hwm_too_low(incident: Incident) -> list[str]:
    mark = f" (now {incident.sndhwm})" if incident.sndhwm else ""
    return [
        (
            f"Raise SNDHWM of {incident.sender}{mark} or RCVHWM of {incident.receiver} by at least {incident.longest}, "
            f"the longest run lost in one burst: the receiver {kept_up(incident)}."
        ),
        f"Or let {incident.sender} send its bursts more evenly.",
    ]


def _network(incident: Incident) -> list[str]:
    lossy = incident.retransmissions and incident.segments_sent and is_lossy(incident)
    where = f"the network between {incident.sender} and {incident.receiver}"
    return [
        f"Find out why {where} loses packets." if lossy else f"Give {where} more bandwidth.",
        "Or send less over it: subscribe to less, compress, or put small messages together. The receiver is not the limit: making it faster changes nothing.",
        f"A higher mark only delays the loss: {_time_bought(incident)}",
    ]


def is_lossy(incident: Incident) -> bool:
    """Whether so many segments had to be sent again that packets are lost on the way."""
    return (incident.retransmissions or 0) >= LOSSY * max(1, incident.segments_sent or 0)


def _slow_joiner(incident: Incident) -> list[str]:
    return [
        (
            f"Let {incident.sender} wait until {incident.receiver} has subscribed before it sends: an XPUB receives each "
            "subscription as a message, or the receiver says on another socket that its first message has come."
        ),
        "If a late start is normal, send the current state on request, and the stream from there on.",
    ]


def _reconnect(incident: Incident) -> list[str]:
    why = f"why the connection of {incident.hop} went down; what is sent meanwhile, and what is in its buffers, is lost."
    if incident.took_over:
        why = f"why the proxy ended in whose place {incident.sender} came; what that passes on before its receivers are back is lost."
    return [
        f"Find out {why}",
        "If these messages matter, keep the last ones at the sender, and let the receiver ask for what is missing after a reconnection.",
    ]


def _closed(incident: Incident) -> list[str]:
    if incident.receiver == NOBODY:
        return [
            f"Nobody was connected to {incident.sender}: check its endpoint, and whether its peer runs.",
            "LINGER keeps queued messages for so long after the close; at 0 they are dropped at once.",
        ]
    if incident.thrown_away:
        return [
            (
                f"Set LINGER of {incident.sender} to the milliseconds that sending what is queued may take (-1, libzmq's default: as "
                "long as it takes), and close it without linger=0; Context.destroy(linger=0) closes every socket so."
            ),
            f"Or let {incident.sender} close only after the receiver has acknowledged the last message.",
        ]
    if incident.sender_end == "closed" and incident.rcvhwm and not incident.receiver_left_first:
        return [
            (
                f"RCVHWM of {incident.receiver} ({incident.rcvhwm}) should be at least as large as what can be unread when "
                f"{incident.sender} closes: here {incident.rcvhwm + incident.lost}, as many as it holds and the {incident.lost} that were lost behind those."
            ),
            f"Or let {incident.sender} close only after the receiver has acknowledged the last message.",
        ]
    return [
        (
            f"Read {incident.receiver} until the sender has said that it is done, and close only then; "
            "let the sender wait for an acknowledgement of its last message."
        ),
    ]


def _conflated(incident: Incident) -> list[str]:
    name = incident.sender if incident.conflated_at == "sender" else incident.receiver
    return [
        f"If every message counts, do without ZMQ_CONFLATE on {name}, and set marks that hold what can be waiting.",
        "If only the newest one does, nothing is wrong: this is what the option is for.",
    ]


def _oversize(incident: Incident) -> list[str]:
    return [
        f"Raise ZMQ_MAXMSGSIZE of {incident.receiver} (now {incident.maxmsgsize}) above the largest message of {incident.sender}, or send smaller ones.",
        "The one that is too large is lost with the connection, and with it what was under way behind it. A receiver that connected does not connect again.",
    ]


def _sender_died(incident: Incident) -> list[str]:
    mark = f" (now {incident.sndhwm})" if incident.sndhwm is not None else ""
    return [
        *_more_memory(incident.sender, incident.sender_killed),
        f"Find out why the process of {incident.sender} ended. Messages queued in a process die with it.",
        f"A lower SNDHWM{mark} bounds how many that can be; messages that must not be lost have to be stored until acknowledged.",
    ]


def _receiver_died(incident: Incident) -> list[str]:
    mark = f" (now {incident.rcvhwm})" if incident.rcvhwm is not None else ""
    return [
        *_more_memory(incident.receiver, incident.receiver_killed),
        f"Find out why the process of {incident.receiver} ended. What had reached it unread, and what was under way to it, died with it.",
        f"A lower RCVHWM{mark} bounds how many that can be; work that must be done needs an acknowledgement, and to be sent again without one.",
    ]


def _more_memory(name: str, killed: KilledForMemory | None) -> list[str]:
    if killed is None:
        return []
    now = "" if killed.limit is None else f" (now {killed.limit / 1e6:,.0f} MB)"
    return [
        f"Give the process of {name} more memory{now}, or lower marks: a queue takes its mark times the size of a message."
    ]


def _unroutable(incident: Incident) -> list[str]:
    if incident.reasons == ("routing_id_alone",):
        return [
            f"Let {incident.sender} send at least one frame behind the routing id, an empty one if need be."
        ]
    return [
        f"Set ROUTER_MANDATORY on {incident.sender} and handle EHOSTUNREACH: it then knows which messages have no taker, and can keep them.",
        (
            "Give the peers fixed routing ids (ROUTING_ID), so that they keep theirs over a reconnection, and let a peer say hello "
            "after each one before it is sent to."
        ),
    ]


ADVICE: dict[str, Callable[[Incident], list[str]]] = {
    "slow_receiver": _slow_receiver,
    "hwm_too_low": _hwm_too_low,
    "network": _network,
    "slow_joiner": _slow_joiner,
    "reconnect": _reconnect,
    "closed": _closed,
    "conflated": _conflated,
    "oversize": _oversize,
    "sender_died": _sender_died,
    "receiver_died": _receiver_died,
    "unroutable": _unroutable,
}
