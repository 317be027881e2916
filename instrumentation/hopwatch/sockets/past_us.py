"""Whether an application's own class may send past its instrumented one, as far as its code shows."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

import zmq

SENDS = [name for name in dir(zmq.Socket) if name.startswith("send")]


def may_send_past(cls: type[zmq.Socket[Any]]) -> bool:
    """Whether it has a ``send``, ``send_multipart`` ... of its own that does not ask ``super()``.

    Such a class may call ``zmq.backend.Socket.send``, or a function of ``zmq.Socket`` that it kept. Where it does so for some messages
    only, those would wait at a full pipe for as long as XPUB_NODROP is on for the sake of the others.
    """
    return any(not _asks_super(send) for send in _own_sends(cls))


def _own_sends(cls: type) -> Iterator[object]:
    for part in cls.__mro__:
        if part.__module__.partition(".")[0] == "zmq":
            return
        yield from (vars(part)[name] for name in SENDS if name in vars(part))


def _asks_super(send: object) -> bool:
    if not isinstance(send, FunctionType):
        return False
    return "super" in send.__code__.co_names or "__class__" in send.__code__.co_freevars
