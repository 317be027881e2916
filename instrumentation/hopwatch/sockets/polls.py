"""Polls of a forked child: in some of them is looked for sockets of the parent's, which libzmq cannot serve there."""

import functools
from typing import Any

import zmq
from zmq.backend import zmq_poll as bare_poll

from hopwatch.finding import used_after_fork
from hopwatch.patches import exchange_functions
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.sockets.while_wrapped import WhileWrapped

LOOKS = 100
"""How many polls of a forked child are looked at."""


def tell_of_use(state: SocketState) -> None:
    """Somebody is about to use this socket: told once, in a forked child's own journal."""
    if state.open_journal is None:
        return
    with Guard(state):
        parents, state.journal = state.journal, state.open_journal()
        state.open_journal = None
        try:
            state.find(used_after_fork())
        finally:
            state.journal = parents


@functools.wraps(bare_poll)
def _poll(sockets: Any, timeout: Any = -1) -> Any:
    if PROCESS.looks:
        PROCESS.look_at(sockets)
    return bare_poll(sockets, timeout)


class Polls:
    """Puts a function that looks in place of the one that all of pyzmq's pollers ask."""

    def __init__(self) -> None:
        self.looks = 0
        self._needed = WhileWrapped(
            lambda: exchange_functions({bare_poll: _poll}), lambda: exchange_functions({_poll: bare_poll})
        )

    def look_for_forked(self) -> None:
        """In a forked child: sockets of the parent's are still open."""
        self.looks = LOOKS
        self._needed.keep(True)

    def look_no_more(self) -> None:
        """Let sockets of the parent's be polled untold."""
        self.looks = 0
        self._needed.keep(False)

    def look_at(self, sockets: Any) -> None:
        """Tell of each socket of the parent's that is polled."""
        self.looks -= 1
        for entry in sockets if isinstance(sockets, list | tuple) else ():
            socket = entry[0] if isinstance(entry, list | tuple) and entry else None
            state = vars(socket).get("_hopwatch") if isinstance(socket, zmq.Socket) else None
            if state is not None:
                tell_of_use(state)
        if self.looks <= 0:
            self.look_no_more()


PROCESS = Polls()
