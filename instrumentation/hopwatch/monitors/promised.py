"""The monitor that a socket gets when it is first bound or connected."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import zmq

from hopwatch import finding, native_state
from hopwatch.monitors.thread import MonitorThread
from hopwatch.monitors.watched import Watched, attach
from hopwatch.sockets.attaching import Attaching
from hopwatch.sockets.hooks import stop_monitor

if TYPE_CHECKING:
    from hopwatch.sockets.hooks import HookedSocket


class PromisedMonitor(Attaching):
    """Ours, unless somebody else's is or may be attached: a second monitor silently stops the first."""

    def __init__(self, monitors: MonitorThread) -> None:
        self._monitors = monitors
        self._tried = False
        self._attached: tuple[HookedSocket, Watched] | None = None
        self._used_at: float | None = None

    def before_use(self, socket: HookedSocket) -> None:
        """Attach it."""
        if self._tried:
            return
        state = socket._hopwatch
        self._tried = True
        self._monitors.begin()
        # a shadow has no context: another object that stands for this socket will do
        with_context = [
            each for each in (socket, *state.members) if getattr(each, "context", None) is not None
        ]
        if not with_context:
            state.find(finding.not_watched("its context is not known"))
            return
        socket = with_context[0]
        attached = not state.by_install and _has_monitor(socket)
        if attached is None:
            state.find(finding.monitor_unknown())
            return
        if attached:
            state.note("monitor", state="application")
            return
        self._used_at = time.monotonic()
        refusal = self._monitors.room.refusal(socket.context)
        if refusal is not None:
            self._monitors.room.leave_unwatched(state, refusal)
            return
        try:
            self._attached = socket, attach(socket, state)
        except zmq.ZMQError as error:
            state.find(finding.not_watched(str(error)))
            return
        state.monitored = True

    def after_use(self) -> None:
        """Have it drained."""
        if self._attached is None:
            return
        (socket, watched), self._attached = self._attached, None
        try:
            self._monitors.take(watched)
            watched.state.note("monitor", state="attached")
        except RuntimeError as error:
            stop_monitor(socket, watched.state)
            watched.close()
            watched.state.find(finding.not_watched(str(error)))

    def after_close(self) -> None:
        """Sockets that are closed soon are watched no more if they are many."""
        if self._used_at is not None:
            self._monitors.room.lived(time.monotonic() - self._used_at)

    def wake(self) -> None:
        """Wake the thread that drains it."""
        self._monitors.wake()


def _has_monitor(socket: HookedSocket) -> bool | None:
    """Whether the application has attached one; None if that cannot be seen, and ours would end it."""
    return socket._monitor_socket is not None or native_state.monitor_is_attached(socket)
