"""``wrap`` and ``unwrap``: the same socket object, instrumented or bare again."""

import logging
import os
from collections import Counter
from typing import Any, TypeVar

import zmq

from hopwatch.assembling import Wish, instrument_socket, wish_of
from hopwatch.finding import Finding
from hopwatch.instrument import PROCESS
from hopwatch.settings import Settings, from_environment
from hopwatch.sockets import while_wrapped
from hopwatch.sockets.hooks import HookedSocket, stop_monitor
from hopwatch.sockets.options import subscription_changed
from hopwatch.sockets.standing import leave, leave_unfinished, return_lent
from hopwatch.sockets.state import Guard

logger = logging.getLogger("hopwatch")

AnySocket = TypeVar("AnySocket", bound="zmq.Socket[bytes]")


def wrap(
    socket: AnySocket,
    *,
    name: str | None = None,
    sequence: object = None,
    stamp_every: int = 1,
    topic: object = None,
) -> AnySocket:
    """Instrument a pyzmq socket; returns the same object.

    ``name`` is what reports call it (a number serves as well as a string). ``sequence="stamp"`` appends a stamp of 48 bytes to each message that the
    socket sends, and takes stamps off what it receives: wrap both ends. ``sequence="count"`` counts messages per topic at both ends and
    changes nothing on the wire: what is missing is then known in number, and no more. Any other ``sequence`` reads numbers that messages already carry (see
    ``hopwatch.sequences``). ``topic`` says what the topic of a stamped PUB's message is: a
    delimiter, a length, or a callable from the frames (default: the first of two or more frames). ``stamp_every=N`` stamps
    each Nth message of a lane only: what is lost is still counted exactly, at a fraction of the cost.

    Synchronous, asyncio, tornado and gevent sockets are all wrapped so; a further object for a wrapped socket (a shadow of it) shares
    its counts and numbers.

    Raises UsageError for arguments that it cannot use. Whatever else goes wrong leaves the socket bare, with a warning in the log.
    """
    settings = from_environment()
    if settings.disabled:
        return socket
    return wrap_as_wished(socket, wish_of(settings, name, sequence, stamp_every, topic), settings)


def wrap_as_wished(
    socket: AnySocket, wish: Wish, settings: Settings, *, by_install: bool = False
) -> AnySocket:
    """As ``wrap``, which takes the place of an earlier wrapping by ``install``."""
    if settings.disabled:
        return socket
    if not by_install and isinstance(socket, HookedSocket) and socket._hopwatch.by_install:
        _wrap_anew(socket, wish, settings)
        return socket
    if isinstance(socket, HookedSocket) or not _is_supported(socket):
        return socket
    try:
        instrument_socket(socket, wish, PROCESS.instrument(settings), by_install)
    except Exception:
        leave_unfinished(socket)
        while_wrapped.release()
        logger.warning("hopwatch could not instrument %r", socket, exc_info=True)
    return socket


def unwrap(socket: AnySocket) -> AnySocket:
    """Make a socket bare again; returns the same object. Its stream ends here. A socket that is not wrapped is left alone.

    A call that another thread is in at this moment ends as it would have.
    """
    if isinstance(socket, HookedSocket):
        make_bare(socket)
        while_wrapped.release()
    return socket


def make_bare(socket: HookedSocket) -> None:
    """Do as ``unwrap`` does, but leave the patches of pyzmq in place."""
    state = socket._hopwatch
    with Guard(state):
        if not socket.closed and state.process == os.getpid():
            socket._hopwatch_stop_probing()
            stop_monitor(socket, state)
            state.write_closed(still_used=socket)
            state.retire()
    for member in {*state.members, socket}:
        leave(member)
    for borrower in state.borrowers:
        return_lent(borrower)


def findings(socket: zmq.Socket[bytes]) -> list[Finding]:
    """Findings of a wrapped socket so far; none for a bare one."""
    if not isinstance(socket, HookedSocket):
        return []
    socket._hopwatch.receiving.tell_impossible()
    return list(socket._hopwatch.findings)


def _wrap_anew(socket: Any, wish: Wish, settings: Settings) -> None:
    """Wrap as wished what ``install`` had wrapped; subscriptions made in between stay known."""
    before = socket._hopwatch.subscriptions
    make_bare(socket)
    wrap_as_wished(socket, wish, settings)
    if before is not None and isinstance(socket, HookedSocket):
        state = socket._hopwatch
        seen = state.subscriptions.topics if state.subscriptions else Counter()
        for topic in (before.topics - seen).elements():
            subscription_changed(state, "subscribe", topic)


def _is_supported(socket: object) -> bool:
    if not isinstance(socket, zmq.Socket):
        logger.warning("hopwatch instruments pyzmq sockets, not %r", socket)
        return False
    return not socket.closed
