"""When a socket becomes usable: until then what is to be told of it can wait.

Writing a file and waking a thread let other threads run, which making and setting up a bare socket does not: applications count on being the
first to bind, or to end a context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopwatch.sockets.state import Guard

if TYPE_CHECKING:
    from hopwatch.sockets.hooks import HookedSocket


class Use:
    """Around what makes a socket usable: its monitor is attached before, and what was noted of it journaled after.

    ``event_follows``: it is journaled with the event that the caller writes at once, by one system call.
    """

    __slots__ = ("_event_follows", "_socket", "_state")

    def __init__(self, socket: HookedSocket, *, event_follows: bool = False) -> None:
        self._socket, self._state = socket, socket._hopwatch
        self._event_follows = event_follows

    def __enter__(self) -> None:
        """Attach the monitor, so that it misses nothing."""
        if not self._state.in_use:
            with Guard(self._state):
                self._state.attaching.before_use(self._socket)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Have the monitor drained, also where the socket has not become usable: it blocks libzmq otherwise."""
        state = self._state
        if state.in_use:
            return
        state.in_use = kind is None
        with Guard(state):
            state.attaching.after_use()
            if state.in_use and not self._event_follows:
                state.journal.write_waiting()
