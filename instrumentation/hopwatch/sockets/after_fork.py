"""That a forked child uses its parent's socket is told once, in the child's own journal."""

from __future__ import annotations

from hopwatch.rules.processes import used_after_fork
from hopwatch.sockets.state import Guard, SocketState


def tell_of_use(state: SocketState) -> None:
    """Somebody is about to use this socket; nothing is told in the process that made it."""
    if state.open_journal is None:
        return
    with Guard(state):
        parents, state.journal = state.journal, state.open_journal()
        state.open_journal = None
        try:
            state.find(used_after_fork())
        finally:
            state.journal = parents
