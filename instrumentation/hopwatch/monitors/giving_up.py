"""Monitors that are given up, since the application may need what they take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import zmq

from hopwatch import finding
from hopwatch.monitors.room import NO_ROOM, Room
from hopwatch.native_threads import original
from hopwatch.sockets.hooks import stop_monitor
from hopwatch.sockets.state import Guard, SocketState

if TYPE_CHECKING:
    from hopwatch.monitors.watched import Watched

LONGEST_WAIT = 0.25


def leave_unwatched(room: Room, state: SocketState, reason: str) -> None:
    """Say that this socket has no monitor; why, of one socket of a process."""
    state.note("monitor", state="stopped")
    if reason not in room.told:
        room.told.add(reason)
        state.find(finding.not_watched(reason))


def give_up(room: Room, context: zmq.Context[Any] | None) -> Sequence[Watched]:
    """Detach as many monitors as the application lacks room for, and return them: they are closed by who drains them.

    Whoever closes such a socket meanwhile waits until its monitor is detached.
    """
    monitors: Sequence[Watched] = room.to_give_up(context)
    for watched in monitors:
        with Guard(watched.state):
            for member in watched.state.members:
                stop_monitor(member, watched.state)
            leave_unwatched(room, watched.state, NO_ROOM)
    return monitors


def wait_until_gone(monitors: Sequence[Watched]) -> None:
    """Wait until what they took is free, or for as long as that should take at most."""
    until = time.monotonic() + LONGEST_WAIT
    while any(watched.takes_anything for watched in monitors) and time.monotonic() < until:
        original(time, "sleep")(0.001)
