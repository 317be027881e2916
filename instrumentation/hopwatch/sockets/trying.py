"""The first try of a send or receive that the application lets wait: it is made without blocking, so that a wait can be counted.

Where pyzmq is built for the stable ABI (its wheels for Python 3.12 and newer), a refusal loses what a signal handler raises while pyzmq
raises ``Again``. A bare socket that waits is never refused, so there the socket is asked first, and the refusal is ours
(tests/instrumentation/test_signals_while_sending.py).
"""

import sys
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets.backend import (
    EVENTS,
    POLLIN,
    POLLOUT,
    backend_get,
    backend_recv,
    backend_send,
)

REFUSALS_LOSE_SIGNALS = ".abi3." in str(getattr(sys.modules[BackendSocket.__module__], "__file__", ""))

WAITING_TYPES = {"PUSH", "DEALER", "PAIR", "CLIENT", "SCATTER", "CHANNEL"}
"""Types whose send waits where POLLOUT is not set, and only there. A ROUTER waits for one peer, and a REQ or REP refuses out of turn."""


def refuse_unless(socket: Any, event: int) -> None:
    """Raise Again if libzmq says that the socket is not ready for ``event``; what fails otherwise is left to the call itself."""
    try:
        ready = int(backend_get(socket, EVENTS)) & event
    except zmq.ZMQError:
        return
    if not ready:
        raise zmq.Again(zmq.EAGAIN)


def asking_send(socket: Any, data: Any, flags: int, copy: bool, track: bool) -> Any:
    """``backend_send`` that asks first."""
    refuse_unless(socket, POLLOUT)
    return backend_send(socket, data, flags, copy, track)


def asking_recv(socket: Any, flags: int, copy: bool, track: bool = False) -> Any:
    """``backend_recv`` that asks first."""
    refuse_unless(socket, POLLIN)
    return backend_recv(socket, flags, copy, track)


try_recv = asking_recv if REFUSALS_LOSE_SIGNALS else backend_recv


def sends_ask_first(type_name: str) -> bool:
    """Whether a blocking send of this type of socket has to ask before it tries."""
    return REFUSALS_LOSE_SIGNALS and type_name in WAITING_TYPES
