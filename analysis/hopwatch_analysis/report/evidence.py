"""Evidence of an incident: the facts it was read off, each as a sentence and as figures."""

from collections.abc import Callable
from dataclasses import asdict

from hopwatch_analysis.report import evidence_of_ends as ends
from hopwatch_analysis.report import evidence_of_pipes as pipes
from hopwatch_analysis.report.incident import Evidence, Incident
from hopwatch_analysis.report.places import Place
from hopwatch_analysis.report.wording import counted, one_or_several, routing_id, streams
from hopwatch_analysis.terms.peers import PEERS_NAMED


def evidence(incident: Incident) -> list[Evidence]:
    """What shows the loss, its hop and its cause: items of ``kind``, ``text`` and figures."""
    incident = incident.briefly()
    items = [
        _runs(incident),
        _between(incident),
        _places(incident),
        *(piece(incident) for piece in PIECES.get(incident.cause, ())),
    ]
    return [item for item in items if item]


def _runs(incident: Incident) -> Evidence:
    lost = counted(incident.lost, "message")
    text = f"{lost} of {streams(incident)} did not pass {incident.hop}"
    if incident.cause == "unroutable":  # told of in events that double: these are no runs
        return {"kind": "missing", "text": text, "lost": incident.lost}
    count = "one run" if incident.runs == 1 else f"{incident.runs} runs, the longest of {incident.longest}"
    return {
        "kind": "missing",
        "text": f"{text}, in {count}",
        "lost": incident.lost,
        "runs": incident.runs,
        "longest": incident.longest,
    }


def _between(incident: Incident) -> Evidence | None:
    if not incident.is_dark:
        return None
    text = (
        f"no event tells of a connection between {incident.sender} and {incident.receiver}: somebody who is not instrumented may stand "
        "between them, and on which side of it they were lost is not known"
    )
    return {"kind": "between", "text": text}


def _places(incident: Incident) -> Evidence | None:
    known = [
        (name, place)
        for name, place in (
            (incident.sender, incident.sender_place),
            (incident.receiver, incident.receiver_place),
        )
        if place
    ]
    if not known:
        return None
    text = "; ".join(f"{name} runs in {place.text}" for name, place in known)
    return {
        "kind": "place",
        "text": text,
        "from": _told(incident.sender_place),
        "to": _told(incident.receiver_place),
    }


def _told(place: Place | None) -> dict[str, str | None] | None:
    return None if place is None else asdict(place)


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


def _conflated(incident: Incident) -> Evidence:
    name = incident.sender if incident.conflated_at == "sender" else incident.receiver
    text = f"{name} has ZMQ_CONFLATE on: it keeps the newest message alone, and each one that comes drops the one before"
    return {"kind": "option", "text": text, "option": "conflate"}


def _oversize(incident: Incident) -> Evidence:
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


def _swallowed(incident: Incident) -> Evidence:
    ids = ", ".join(routing_id(peer) for peer in incident.peers[:PEERS_NAMED])
    ids += " and others" if len(incident.peers) > PEERS_NAMED else ""
    if incident.reasons == ("routing_id_alone",):
        text = f"{incident.sender} sent the routing id and no frame behind it, which libzmq swallows: {ids}"
    elif not incident.peers:
        text = (
            f"{incident.sender} counted them as swallowed, and its process ended before it had told of each"
        )
    else:
        text = f"{incident.sender} had no peer of the routing id it sent to, each time as libzmq said: {ids}"
        if "routing_id_alone" in incident.reasons:
            text = f"{incident.sender} had no peer of the routing id it sent to, or sent no frame behind that: {ids}"
    return {
        "kind": "unroutable",
        "text": text,
        "peers": list(incident.peers[:PEERS_NAMED]),
        "reasons": list(incident.reasons),
    }


PIECES: dict[str, tuple[Callable[[Incident], Evidence | None], ...]] = {
    "slow_receiver": (pipes.full_pipe, pipes.rates, pipes.overload, pipes.window, pipes.sent_on, pipes.marks),
    "hwm_too_low": (pipes.full_pipe, pipes.rates, pipes.bursts, pipes.caught_up, pipes.sent_on, pipes.marks),
    "network": (pipes.full_pipe, pipes.network, pipes.rates, pipes.sent_on, pipes.marks),
    "slow_joiner": (_joined,),
    "reconnect": (ends.downs,),
    "sender_died": (ends.sender_end, ends.sender_killed, ends.still_there, ends.not_watched),
    "receiver_died": (ends.receiver_end, ends.receiver_killed, ends.not_watched),
    "conflated": (_conflated,),
    "oversize": (ends.downs, _oversize),
    "closed": (ends.closed, ends.still_there, ends.not_watched, pipes.marks),
    "unroutable": (_swallowed,),
}
