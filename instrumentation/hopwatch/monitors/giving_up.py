"""Detaches monitors when the application needs the descriptors or sockets that they take."""

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
    """Record that the socket has no monitor. The first such socket of a process gets a finding with the reason."""
    state.note("monitor", state="stopped")
    if reason not in room.told:
        room.told.add(reason)
        state.find(finding.not_watched(reason))


def give_up(room: Room, context: zmq.Context[Any] | None) -> Sequence[Watched]:
    """Detach as many monitors as the application needs room for, and return them. The monitor thread closes their receiving ends."""
    monitors: Sequence[Watched] = room.to_give_up(context)
    for watched in monitors:
        with Guard(watched.state):
            for member in watched.state.members:
                stop_monitor(member, watched.state)
            leave_unwatched(room, watched.state, NO_ROOM)
    return monitors


def wait_until_gone(monitors: Sequence[Watched]) -> None:
    """Wait until libzmq has freed what the monitors took, at most ``LONGEST_WAIT`` seconds."""
    until = time.monotonic() + LONGEST_WAIT
    while any(watched.takes_anything for watched in monitors) and time.monotonic() < until:
        original(time, "sleep")(0.001)
