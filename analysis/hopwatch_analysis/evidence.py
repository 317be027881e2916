"""Evidence of an incident: the facts it was read off, each as a sentence and as figures."""

from collections.abc import Callable
from typing import Any

from hopwatch_analysis.records import Incident, KilledForMemory
from hopwatch_analysis.wording import (
    counted,
    how,
    mark,
    often,
    one_or_several,
    percent,
    rate,
    routing_id,
    streams,
)

Evidence = dict[str, Any]

LONG = 0.1  # seconds: within less, a pipe that was full hardly has room again


def evidence(incident: Incident) -> list[Evidence]:
    """What shows the loss, its hop and its cause: items of ``kind``, ``text`` and figures."""
    items = [_runs(incident), *(piece(incident) for piece in PIECES.get(incident.cause, ()))]
    return [item for item in items if item]


def _runs(incident: Incident) -> Evidence:
    count = "one run" if incident.runs == 1 else f"{incident.runs} runs, the longest of {incident.longest}"
    lost = counted(incident.lost, "message")
    text = f"{lost} of {streams(incident)} did not pass {incident.hop}, in {count}"
    return {
        "kind": "missing",
        "text": text,
        "lost": incident.lost,
        "runs": incident.runs,
        "longest": incident.longest,
    }


def _full_pipe(incident: Incident) -> Evidence:
    if incident.onsets:
        begin = (
            "the run begins"
            if incident.runs == 1
            else f"{incident.onsets} of {incident.runs} runs {'begins' if incident.onsets == 1 else 'begin'}"
        )
        text = f"{begin} exactly at a message that met a full pipe at {incident.sender}"
        return {"kind": "onset", "text": text, "onsets": incident.onsets}
    text = (
        f"the pipe of {incident.sender} cannot be probed; the connection was up, and what drops messages on a "
        "connection that is up is a full pipe"
    )
    return {"kind": "elimination", "text": text}


def _rates(incident: Incident) -> Evidence | None:
    if incident.mean_rate is None and incident.capacity is None:
        text = "neither the sender's rate nor the receiver's could be measured"
        return {"kind": "rates", "text": text}
    sent = rate(incident.mean_rate, "the sender's mean rate is not known", "sent at {} messages/s on average")
    taken = rate(
        incident.capacity,
        f"how fast {incident.receiver} can read is not known",
        "the receiver was seen to read at up to {}/s",
    )
    text = f"{sent}; {taken}"
    return {"kind": "rates", "text": text, "mean_rate": incident.mean_rate, "capacity": incident.capacity}


def _window(incident: Incident) -> Evidence | None:
    if not incident.window_was_full:
        return None
    text = f"the kernel at {incident.sender} said at least once that {incident.receiver} was the limit: it did not read what had arrived"
    return {"kind": "tcp", "text": text}


def _network(incident: Incident) -> Evidence:
    text = f"the kernel at {incident.sender} said that the way to {incident.receiver} was the limit, not its window"
    if incident.retransmissions and incident.segments_sent:
        text += f": {incident.retransmissions} of {incident.segments_sent} segments were retransmissions"
    if incident.rtt_us is not None:
        least = "" if incident.min_rtt_us is None else f", {incident.min_rtt_us / 1000:g} ms at best"
        text += f"; a round trip took up to {incident.rtt_us / 1000:g} ms{least}"
    return {
        "kind": "tcp",
        "text": text,
        "rtt_us": incident.rtt_us,
        "min_rtt_us": incident.min_rtt_us,
        "retransmissions": incident.retransmissions,
        "segments_sent": incident.segments_sent,
    }


def _bursts(incident: Incident) -> Evidence | None:
    if incident.loss_share is None:
        return None
    text = f"the losses span {percent(incident.loss_share)} of the time that the sender was sending"
    return {"kind": "bursts", "text": text, "loss_share": round(incident.loss_share, 3)}


def _sent_on(incident: Incident) -> Evidence | None:
    if incident.exact or not incident.sent_on or incident.sent_on < LONG:
        return None
    text = (
        f"{incident.sender} went on sending for {incident.sent_on:.1f} s after its pipe was full: what that had room for by "
        "then was not dropped, but lost with its queue, and is counted here"
    )
    return {"kind": "sent_on", "text": text, "seconds": round(incident.sent_on, 3)}


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


def _marks(incident: Incident) -> Evidence | None:
    if incident.sndhwm is None and incident.rcvhwm is None:
        return None
    text = f"SNDHWM of {incident.sender} is {mark(incident.sndhwm)}, RCVHWM of {incident.receiver} is {mark(incident.rcvhwm)}"
    return {"kind": "marks", "text": text, "sndhwm": incident.sndhwm, "rcvhwm": incident.rcvhwm}


def _joined(incident: Incident) -> Evidence:
    sent = incident.sent_when_connected
    if sent is None:
        were = one_or_several(incident, "it was", "they were")
        text = f"{were} sent before the first message that {incident.receiver} got"
    elif sent == 0:
        text = f"{incident.sender} had sent nothing when the connection of {incident.receiver} came up: the subscription came later"
    else:
        text = f"{incident.sender} had sent {counted(sent, 'message')} when the connection of {incident.receiver} came up"
    return {"kind": "joined", "text": text, "sent_when_connected": sent}


def _downs(incident: Incident) -> Evidence:
    if incident.took_over:
        text = (
            f"{incident.sender} came in place of another proxy, and its count says that it got them: {incident.receiver} was not "
            "connected to it yet"
        )
        return {"kind": "took_over", "text": text}
    times = incident.downs or 0
    were = one_or_several(incident, "the lost message was", "the lost messages were")
    text = f"the connection of {incident.hop} went down {often(times)}, and {were} sent around it"
    return {"kind": "disconnected", "text": text, "disconnections": times}


def _sender_end(incident: Incident) -> Evidence:
    return {
        "kind": "end",
        "text": f"{incident.sender} {how(incident.sender_end)}; nothing came after",
        "end": incident.sender_end,
    }


def _still_there(incident: Incident) -> Evidence | None:
    if incident.receiver_end != "open":
        return None
    text = f"{incident.receiver} is still open: it may have some of them, and not have read them yet"
    return {"kind": "open", "text": text}


def _receiver_end(incident: Incident) -> Evidence:
    text = f"{incident.receiver} {how(incident.receiver_end)} before it had read {one_or_several(incident, 'it', 'them')}"
    return {"kind": "end", "text": text, "end": incident.receiver_end}


def _sender_killed(incident: Incident) -> Evidence | None:
    return _killed(incident.sender, incident.sender_killed)


def _receiver_killed(incident: Incident) -> Evidence | None:
    return _killed(incident.receiver, incident.receiver_killed)


def _killed(name: str, killed: KilledForMemory | None) -> Evidence | None:
    if killed is None:
        return None
    text = f"the kernel killed for memory in the cgroup of {name} just when its process ended"
    text += (
        f", or another of the {killed.of} that ended then"
        if killed.of > 1
        else ", and no other that is watched ended then"
    )
    if killed.limit is not None:
        text += f"; its cgroup may use {killed.limit / 1e6:,.0f} MB"
    return {"kind": "oom", "text": text, "processes": killed.of, "limit": killed.limit}


def _conflated(incident: Incident) -> Evidence:
    name = incident.sender if incident.conflated_at == "sender" else incident.receiver
    text = f"{name} has ZMQ_CONFLATE on: it keeps the newest message alone, and each one that comes drops the one before"
    return {"kind": "option", "text": text, "option": "conflate"}


def _oversize(incident: Incident) -> Evidence:
    bound = f"{incident.receiver} has ZMQ_MAXMSGSIZE {incident.maxmsgsize}, and hangs up on who sends it more"
    if incident.hung_up == "proven":
        seen = f"what {incident.sender} sent at about that time was larger on average"
    else:
        seen = f"{incident.sender} sent so many bytes at about that time that one of its messages may have been larger"
    text = f"{bound}; {seen}"
    return {"kind": "option", "text": text, "option": "maxmsgsize", "value": incident.maxmsgsize}


def _closed(incident: Incident) -> Evidence:
    if incident.receiver_left_first:
        return _receiver_end(incident)
    if incident.thrown_away:
        return _thrown_away(incident)
    if incident.sender_end == "closed" and incident.receiver_end == "closed":
        text = f"both {incident.sender} and {incident.receiver} were closed; nothing came after"
        return {"kind": "end", "text": text}
    return _sender_end(incident) if incident.sender_end == "closed" else _receiver_end(incident)


def _thrown_away(incident: Incident) -> Evidence:
    text = f"{incident.sender} was closed first, and its LINGER was 0"
    if incident.receiver_end == "closed":
        unread = "" if incident.left_unread is None else ", with nothing unread"
        text += f"; {incident.receiver} was closed later{unread}"
    return {"kind": "linger", "text": text, "linger": incident.linger}


def _swallowed(incident: Incident) -> Evidence:
    ids = ", ".join(routing_id(peer) for peer in incident.peers)
    if incident.reasons == ("routing_id_alone",):
        text = f"{incident.sender} sent the routing id and no frame behind it, which libzmq swallows: {ids}"
    elif not incident.peers:
        text = (
            f"{incident.sender} counted them as swallowed, and its process ended before it had told of each"
        )
    else:
        text = f"{incident.sender} had no peer of the routing id it sent to, each time as libzmq said: {ids}"
    return {
        "kind": "unroutable",
        "text": text,
        "peers": list(incident.peers),
        "reasons": list(incident.reasons),
    }


PIECES: dict[str, tuple[Callable[[Incident], Evidence | None], ...]] = {
    "slow_receiver": (_full_pipe, _rates, _window, _sent_on, _marks),
    "hwm_too_low": (_full_pipe, _rates, _bursts, _caught_up, _sent_on, _marks),
    "network": (_full_pipe, _network, _rates, _sent_on, _marks),
    "slow_joiner": (_joined,),
    "reconnect": (_downs,),
    "sender_died": (_sender_end, _sender_killed, _still_there),
    "receiver_died": (_receiver_end, _receiver_killed),
    "conflated": (_conflated,),
    "oversize": (_downs, _oversize),
    "closed": (_closed, _still_there, _marks),
    "unroutable": (_swallowed,),
}
