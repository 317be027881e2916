"""Evidence that a socket, a process or a connection ended, and of what was left then."""

from hopwatch_judge.incident import Evidence, Incident, KilledForMemory

HOW = {
    "closed": "was closed",
    "exited": "ended because its process exited with the socket still open",
    "died": "ended because its process was killed or crashed",
}


def downs(incident: Incident) -> Evidence:
    """How the connection went down, or the proxy that was there before."""
    if incident.took_over:
        text = (
            f"{incident.sender} came in place of another proxy that ended: that one still had them, or {incident.sender} got them before "
            f"{incident.receiver} was connected to it"
        )
        return {"kind": "took_over", "text": text}
    times = incident.downs or 0
    were = "the lost message was" if incident.lost == 1 else "the lost messages were"
    if times:
        often = "once" if times == 1 else f"{times} times"
        text = f"the connection of {incident.hop} went down {often}, and {were} sent around it"
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
    text = f"{incident.sender} {_how(incident.sender_end)}; nothing came after"
    return {"kind": "end", "text": text, "end": incident.sender_end}


def receiver_end(incident: Incident) -> Evidence:
    text = f"{incident.receiver} {_how(incident.receiver_end)} before it had read {'it' if incident.lost == 1 else 'them'}"
    return {"kind": "end", "text": text, "end": incident.receiver_end}


def _how(end: str | None) -> str:
    return HOW.get(end or "", "ended")


def still_there(incident: Incident) -> Evidence | None:
    if incident.receiver_end != "open":
        return None
    text = f"{incident.receiver} is still open: it may have some of them, and not have read them yet"
    return {"kind": "open", "text": text}


def not_watched(incident: Incident) -> Evidence | None:
    if incident.watched is not False:
        return None
    text = (
        f"not all that became of the connection of {incident.hop} was watched or told: it may have gone down"
    )
    return {"kind": "unwatched", "text": text}


def killed_for_memory(name: str, killed: KilledForMemory | None) -> Evidence | None:
    """That the kernel killed the process of ``name``, or one of several."""
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
