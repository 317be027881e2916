"""How sends and receives come to an instrumented socket, and where it stands within a message."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import zmq

Methods = dict[str, Callable[..., Any]]
"""Functions made for one socket's counters, by the attribute names that the socket keeps them under."""


@dataclass
class Incoming:
    """Where a receiver stands within a multipart message; ``counted``: it was taken for a whole one at its first frame.

    ``told_more``: the application was told that another frame follows. ``held``: a frame that was looked at already, which others follow or not (``held_more``). ``told_to_polls``: pyzmq's pollers know that a frame may be held of this socket.
    """

    held: bytes | zmq.Frame | None = None
    held_more: bool = False
    more: bool = False
    told_more: bool = False
    frames: int = 0
    first_frame: bytes | zmq.Frame | None = None
    multipart: bool = False
    asked_sometimes: bool = False
    counted: bool = False
    told_to_polls: bool = False


@dataclass
class Way:
    """How this socket's sends and receives come to us: ``plain_flags`` are the flags of one that the application gave none.

    ``sends_deferred`` and ``receives_deferred``: a refused one is not answered to the application but waited for, by pyzmq.
    ``looks_ahead``: a receive that finds a stamp alone has no way to wait for the next message, so it must not come to that.
    """

    plain_flags: int = 0
    sends_deferred: bool = False
    receives_deferred: bool = False
    looks_ahead: bool = False
