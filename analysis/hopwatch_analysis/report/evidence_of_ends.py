"""Evidence that a socket, a process or a connection ended, and of what was left then."""

from hopwatch_analysis.report.incident import Evidence, Incident, KilledForMemory
from hopwatch_analysis.report.wording import how, often, one_or_several


def downs(incident: Incident) -> Evidence:
    if incident.took_over:
        text = (
            f"{incident.sender} came in place of another proxy that ended: that one still had them, or {incident.sender} got them before "
            f"{incident.receiver} was connected to it"
        )
        return {"kind": "took_over", "text": text}
    times = incident.downs or 0
    were = one_or_several(incident, "the lost message was", "the lost messages were")
    if times:
        text = f"the connection of {incident.hop} went down {often(times)}, and {were} sent around it"
    elif incident.is_dark:
        text = (
            f"a connection of {incident.sender} to somebody who is not known had gone down, and the pipe that {incident.sender} keeps for who "
            f"comes to that place was full when {were} sent"
        )
    else:
        text = (
            f"{were} sent around a time at which {incident.sender} was not connected to {incident.receiver}, or not any more to who had been "
            "there before"
        )
    return {"kind": "disconnected", "text": text, "disconnections": times}


def sender_end(incident: Incident) -> Evidence:
    return {
        "kind": "end",
        "text": f"{incident.sender} {how(incident.sender_end)}; nothing came after",
        "end": incident.sender_end,
    }


def still_there(incident: Incident) -> Evidence | None:
    if incident.receiver_end != "open":
        return None
    text = f"{incident.receiver} is still open: it may have some of them, and not have read them yet"
    return {"kind": "open", "text": text}


def receiver_end(incident: Incident) -> Evidence:
    text = f"{incident.receiver} {how(incident.receiver_end)} before it had read {one_or_several(incident, 'it', 'them')}"
    return {"kind": "end", "text": text, "end": incident.receiver_end}


def not_watched(incident: Incident) -> Evidence | None:
    if incident.watched is not False:
        return None
    text = (
        f"not all that became of the connection of {incident.hop} was watched or told: it may have gone down"
    )
    return {"kind": "unwatched", "text": text}


def sender_killed(incident: Incident) -> Evidence | None:
    return _killed(incident.sender, incident.sender_killed)


def receiver_killed(incident: Incident) -> Evidence | None:
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


def closed(incident: Incident) -> Evidence:
    if incident.receiver_left_first:
        return receiver_end(incident)
    if incident.thrown_away:
        return _thrown_away(incident)
    if incident.sender_end == "closed" and incident.receiver_end == "closed":
        text = f"both {incident.sender} and {incident.receiver} were closed; nothing came after"
        return {"kind": "end", "text": text}
    return sender_end(incident) if incident.sender_end == "closed" else receiver_end(incident)


def _thrown_away(incident: Incident) -> Evidence:
    text = f"{incident.sender} was closed first, and its LINGER was 0"
    if incident.receiver_end == "closed":
        unread = "" if incident.left_unread is None else ", with nothing unread"
        text += f"; {incident.receiver} was closed later{unread}"
    return {"kind": "linger", "text": text, "linger": incident.linger}
