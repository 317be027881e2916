"""Whose a socket is: the process's that opened it first. Journals are not trusted, and may name others' sockets."""

from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ProcessState


def claim_to_anothers(socket: str | None, process: ProcessState, draft: Draft) -> str | None:
    """What is wrong with this process's telling of that socket; None if it is its own, or nobody's that is held."""
    held = draft.sockets.get(socket) if socket is not None else None
    if held is None or held.process == process.process:
        return None
    return f"socket {held.socket} is process {held.process}'s"
