"""pyzmq's pollers ask libzmq, which knows nothing of a frame that was looked at and is held for the application's next receive.

Where nothing is left in libzmq behind such a frame, an application that polls between the frames of a message would wait for ever. So
from the first such frame on, the function that all of pyzmq's pollers ask is one that knows of them; what it takes more is a look
at each socket that is polled. In a forked child it looks at some polls for sockets of the parent's.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

import zmq
from zmq.backend import zmq_poll as bare_poll

from hopwatch.patches import Patches, exchange_functions
from hopwatch.sockets.after_fork import tell_of_use
from hopwatch.sockets.in_turn import events_as_bare
from hopwatch.sockets.while_wrapped import WhileWrapped

POLLIN = int(zmq.POLLIN)
ASYNCHRONOUS = "zmq._future"

FORKED_LOOKS = 100
"""How many polls of a forked child are looked at."""


@functools.wraps(bare_poll)
def _poll(sockets: Any, timeout: Any = -1) -> Any:
    if PROCESS.forked_looks:
        PROCESS.look_at(sockets)
    if not isinstance(sockets, list | tuple) or not any(map(_holds_frame, sockets)):
        return bare_poll(sockets, timeout)
    sockets = list(map(_possible, sockets))
    if not any(map(_has_held_frame, sockets)):
        return bare_poll(sockets, timeout)
    bare_poll([], timeout)  # which refuses what is no timeout
    ready = []
    for entry in sockets:
        found = bare_poll([entry], 0)
        if _has_held_frame(entry):
            ready.append((entry[0], POLLIN | (found[0][1] if found else 0)))
        else:
            ready += found
    return ready


def _possible(entry: Any) -> Any:
    """What is asked for, less what a bare socket could not tell yet."""
    if not _holds_frame(entry):
        return entry
    return entry[0], events_as_bare(vars(entry[0])["_hopwatch"], int(entry[1]))


def _holds_frame(entry: Any) -> bool:
    if not isinstance(entry, list | tuple) or len(entry) != 2 or not isinstance(entry[0], zmq.Socket):
        return False
    state = vars(entry[0]).get("_hopwatch")
    return state is not None and state.incoming.held is not None and isinstance(entry[1], int | float)


def _has_held_frame(entry: Any) -> bool:
    """Whether one of the pairs of a socket and the events that are polled for is to be told of a frame."""
    return _holds_frame(entry) and bool(int(entry[1]) & POLLIN) and not entry[0].closed


def _asynchronous(bare: Any) -> Any:
    """``poll`` of pyzmq's asynchronous pollers: they wait for what the sockets' files tell, and only then ask."""

    @functools.wraps(bare)
    def poll(self: Any, timeout: Any = -1) -> Any:
        return bare(self, 0 if any(map(_has_held_frame, self.sockets)) else timeout)

    return poll


class Polls:
    """What is put in place of pyzmq's own for as long as a socket is wrapped that has had such a frame, or there are polls to be looked at."""

    def __init__(self) -> None:
        self.forked_looks = 0
        self._patches = Patches()
        self._needed = WhileWrapped(self._put_in_place, self._put_back)
        self.know_of = self._needed.need

    def look_for_forked(self) -> None:
        """In a forked child: sockets of the parent's are still open."""
        self.forked_looks = FORKED_LOOKS
        self._needed.keep(True)

    def look_no_more(self) -> None:
        """Let sockets of the parent's be polled untold."""
        self.forked_looks = 0
        self._needed.keep(False)

    def look_at(self, sockets: Any) -> None:
        """Tell of each socket of the parent's that is polled."""
        self.forked_looks -= 1
        for entry in sockets if isinstance(sockets, list | tuple) else ():
            socket = entry[0] if isinstance(entry, list | tuple) and entry else None
            state = vars(socket).get("_hopwatch") if isinstance(socket, zmq.Socket) else None
            if state is not None:
                tell_of_use(state)
        if self.forked_looks <= 0:
            self.look_no_more()

    def _put_in_place(self) -> None:
        exchange_functions({bare_poll: _poll})
        if ASYNCHRONOUS in sys.modules:
            poller = sys.modules[ASYNCHRONOUS]._AsyncPoller
            self._patches.replace(poller, "poll", _asynchronous(poller.poll))

    def _put_back(self) -> None:
        exchange_functions({_poll: bare_poll})
        self._patches.undo()


PROCESS = Polls()
