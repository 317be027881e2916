"""How sends and receives come to an instrumented socket, and where it stands within a message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zmq

Methods = dict[str, Callable[..., Any]]
"""Functions made for one socket's counters, by the attribute names that the socket keeps them under."""


@dataclass
class Incoming:
    """Where a receiver stands within a multipart message: how many of its frames came, and the first of them.

    ``counted``: it was taken for a whole one at its first frame. ``asked_sometimes``: whether more frames follow is asked of a few.
    """

    frames: int = 0
    first_frame: bytes | zmq.Frame | None = None
    multipart: bool = False
    asked_sometimes: bool = False
    counted: bool = False


@dataclass
class Way:
    """How this socket's sends and receives come to us: ``plain_flags`` are the flags of one that the application gave none.

    ``sends_deferred`` and ``receives_deferred``: a refused one is not answered to the application but waited for, by pyzmq.
    ``asynchronous``: an event loop of pyzmq's is between.
    """

    plain_flags: int = 0
    sends_deferred: bool = False
    receives_deferred: bool = False
    asynchronous: bool = False
