"""Advice: what to change, from the facts of an incident alone."""

from collections.abc import Callable

from hopwatch_analysis.report import advice_on_ends, costs, marks
from hopwatch_analysis.report.incident import Incident, KilledForMemory

LOSSY = 0.01


def advice(incident: Incident) -> list[str]:
    """What would have prevented the incident, most useful first."""
    incident = incident.briefly()
    give = ADVICE.get(incident.cause)
    return [*_instrument(incident), *give(incident)] if give else []


def _instrument(incident: Incident) -> list[str]:
    """Where a hop may be several: its marks and rates are then not those of one pipe."""
    if not incident.is_dark:
        return []
    return [
        (
            f"Instrument who stands between {incident.sender} and {incident.receiver}, if anybody does (hopwatch.proxy, hopwatch run): which pipe "
            "lost them, and whose marks count, is told then. What follows takes it that nobody does."
        )
    ]


def kept_up(incident: Incident) -> str:
    """What is known of a receiver that lost messages in bursts only."""
    return "keeps up with the mean rate" if incident.keeps_up else "had caught up in between"


def _slow_receiver(incident: Incident) -> list[str]:
    rates = ""
    sent, read = costs.sent_to_it(incident), costs.reads(incident)
    on_average = " on average, pauses included" if incident.overload_rate is None else ""
    if sent and read and sent > read:
        rates = f": it reads {read:.0f} messages/s, and gets sent {sent:.0f}{on_average}"
    return [
        f"Make {incident.receiver} faster, or give it less{rates}. Take its work off the receiving thread, or spread it over several receivers.",
        _if_so_be_it(incident),
        f"A higher mark only delays the loss: {marks.time_bought(incident)}",
    ]


def _if_so_be_it(incident: Incident) -> str:
    """What to do where the receiver stays as slow."""
    if incident.sender_type == "ROUTER":
        return (
            f"Or set ROUTER_MANDATORY on {incident.sender}: a send to a peer whose pipe is full then waits, or is refused with EAGAIN, so that "
            "the application knows."
        )
    return "If it only needs the newest messages, drop on purpose: subscribe to less, or skip old ones when it lags."


def _hwm_too_low(incident: Incident) -> list[str]:
    cost = marks.cost_of_higher_mark(incident)
    return [
        f"{marks.higher_mark(incident)}. The receiver {kept_up(incident)}.",
        *([cost] if cost else []),
        f"Or let {incident.sender} send its bursts more evenly.",
    ]


def _network(incident: Incident) -> list[str]:
    lossy = incident.retransmissions and incident.segments_sent and is_lossy(incident)
    fewer = "" if incident.sender_type == "ROUTER" else "subscribe to less, "
    where = f"the network between {incident.sender} and {incident.receiver}"
    if not lossy and (buffer := costs.small_buffer(incident)):
        return [buffer, f"A higher mark only delays the loss: {marks.time_bought(incident, marks.SENDERS)}"]
    return [
        f"Find out why {where} loses packets{costs.sent_again(incident)}."
        if lossy
        else f"Give {where} more bandwidth{costs.bandwidth(incident)}.",
        f"Or send less over it: {fewer}compress, or put small messages together. The receiver is not the limit: making it faster, or raising RCVHWM, changes nothing.",
        f"A higher mark only delays the loss: {marks.time_bought(incident, marks.SENDERS)}",
    ]


def is_lossy(incident: Incident) -> bool:
    """Whether so many segments had to be sent again that packets are lost on the way."""
    return (incident.retransmissions or 0) >= LOSSY * max(1, incident.segments_sent or 0)


def _slow_joiner(incident: Incident) -> list[str]:
    return [
        (
            f"Let {incident.sender} wait until {incident.receiver} has subscribed before it sends: the receiver says on another socket that its first "
            "message has come. (An XPUB reads subscriptions as messages: without ZMQ_XPUB_VERBOSE, on it and on each proxy between, only the first one to a topic.)"
        ),
        f"If a late start is normal, send the current state on request, and the stream from there on{_kept(incident)}.",
    ]


def _kept(incident: Incident) -> str:
    """What it takes to keep what was lost, to send it later."""
    takes = costs.length(incident, incident.lost)
    return f" (to keep the {incident.lost} that were lost for it takes {takes})" if takes else ""


def _conflated(incident: Incident) -> list[str]:
    name = incident.sender if incident.conflated_at == "sender" else incident.receiver
    sent, read = costs.sent_to_it(incident), costs.reads(incident)
    without = f"If every message counts, do without ZMQ_CONFLATE on {name}"
    if not sent or not read:
        then = f", and let {incident.receiver} read as fast as it is sent messages: which mark it needs then follows from its bursts, of which nothing is known."
    elif read < sent:
        then = (
            f", and let {incident.receiver} read faster, or give it less: it was seen to read {costs.figure(read)} messages/s at most, and gets sent "
            f"{costs.figure(sent)}. While it reads no faster, no mark makes up for that: {marks.time_bought(incident)}"
        )
    else:
        mark = 2 * (incident.largest_burst or incident.longest)
        takes = costs.memory(incident, mark)
        then = (
            f", and set SNDHWM of {incident.sender} to at least {mark}: twice what the largest burst on this hop lost, as a sender counts what was "
            f"read only at each half of its mark{f' ({takes})' if takes else ''}."
        )
    return [
        without + then,
        "If only the newest one does, nothing is wrong: this is what the option is for.",
    ]


def _oversize(incident: Incident) -> list[str]:
    return [
        (
            f"Raise ZMQ_MAXMSGSIZE of {incident.receiver} (now {incident.maxmsgsize}; set it before it binds or connects) above the largest message of {incident.sender}, or send "
            f"smaller ones: {costs.largest(incident)}. The receiver has to have memory for it{_full_of_them(incident)}."
        ),
        "The one that is too large is lost with the connection, and with it what was under way behind it. A receiver that connected does not connect again.",
    ]


def _full_of_them(incident: Incident) -> str:
    """What a bound that lets the largest in may cost."""
    if not incident.largest_then or not incident.rcvhwm:
        return ""
    takes = costs.size(incident.rcvhwm * incident.largest_then)
    return f": a queue of {incident.rcvhwm} (RCVHWM) full of such takes {takes}"


def _sender_died(incident: Incident) -> list[str]:
    return [
        *_more_memory(incident, incident.sender, incident.sender_killed, incident.sndhwm),
        f"Find out why the process of {incident.sender} ended. Messages queued in a process die with it.",
        marks.lower_sndhwm(incident),
    ]


def _receiver_died(incident: Incident) -> list[str]:
    return [
        *_more_memory(incident, incident.receiver, incident.receiver_killed, incident.rcvhwm),
        f"Find out why the process of {incident.receiver} ended. What had reached it unread, and what was under way to it, died with it.",
        marks.lower_rcvhwm(incident),
    ]


def _more_memory(
    incident: Incident, name: str, killed: KilledForMemory | None, mark: int | None
) -> list[str]:
    """That cannot be said in figures of one that may not be the one that was killed."""
    if killed is None:
        return []
    now = "" if killed.limit is None else f" (now {costs.size(killed.limit)}"
    if killed.limit is not None:
        now += f"{marks.with_full_queue(incident, mark, killed.limit) if killed.of == 1 else ''})"
    return [
        f"Give the process of {name} more memory{now}, or lower marks: {marks.what_queues_take(incident, mark)}."
    ]


def _unroutable(incident: Incident) -> list[str]:
    if incident.reasons == ("routing_id_alone",):
        return [
            f"Let {incident.sender} send at least one frame behind the routing id, an empty one if need be."
        ]
    return [
        f"Set ROUTER_MANDATORY on {incident.sender} and handle EHOSTUNREACH: it then knows which messages have no taker, and can keep them{_kept(incident)}.",
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
    "reconnect": advice_on_ends.reconnect,
    "closed": advice_on_ends.closed,
    "conflated": _conflated,
    "oversize": _oversize,
    "sender_died": _sender_died,
    "receiver_died": _receiver_died,
    "unroutable": _unroutable,
}
