"""The monitor that a socket gets when it is first bound or connected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import zmq

from hopwatch import finding, native_state
from hopwatch.monitors.thread import MonitorThread
from hopwatch.monitors.watched import attach, receiving_end
from hopwatch.sockets.hooks import stop_monitor

if TYPE_CHECKING:
    from hopwatch.sockets.hooks import HookedSocket

MONITORS_SHARE = 2
"""One in so many of the sockets that a context may have is left to monitors; each takes two."""


class PromisedMonitor:
    """Ours, unless somebody else's is or may be attached: a second monitor silently stops the first."""

    def __init__(self, monitors: MonitorThread) -> None:
        self._monitors = monitors
        self._tried = False
        self._attached_to: HookedSocket | None = None

    def before_use(self, socket: HookedSocket) -> None:
        """Attach it."""
        if self._tried:
            return
        state = socket._hopwatch
        self._tried = True
        if not _has_context(socket):  # a shadow: another object that stands for this socket will do
            others = [member for member in state.members if _has_context(member)]
            if not others:
                state.find(finding.not_watched("its context is not known"))
                return
            socket = others[0]
        attached = not state.by_install and _has_monitor(socket)
        if attached is None:
            state.find(finding.monitor_unknown())
            return
        if attached:
            state.note("monitor", state="application")
            return
        if 2 * self._monitors.watching >= socket.context.get(zmq.MAX_SOCKETS) // MONITORS_SHARE:
            state.find(finding.not_watched("monitors would take up the sockets that its context may have"))
            return
        try:
            attach(socket, state)
            state.monitored = True
            state.wake_monitors = self._monitors.wake
            self._attached_to = socket
        except zmq.ZMQError as error:
            state.find(finding.not_watched(str(error)))

    def after_use(self) -> None:
        """Have it drained."""
        socket, self._attached_to = self._attached_to, None
        if socket is None:
            return
        state = socket._hopwatch
        try:
            self._monitors.take(receiving_end(socket, state))
            state.note("monitor", state="attached")
        except (zmq.ZMQError, RuntimeError) as error:
            stop_monitor(socket, state)
            state.find(finding.not_watched(str(error)))


def _has_monitor(socket: HookedSocket) -> bool | None:
    """Whether the application has attached one; None if that cannot be seen, and ours would end it."""
    return socket._monitor_socket is not None or native_state.monitor_is_attached(socket)


def _has_context(socket: HookedSocket) -> bool:
    return getattr(socket, "context", None) is not None
