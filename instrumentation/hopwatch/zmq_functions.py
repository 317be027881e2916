"""pyzmq's functions that take sockets over for as long as a proxy runs, in a form that knows wrapped sockets.

A probed PUB or XPUB would block in them, so its probing stops first. What passes a plain proxy is counted; that others passed something uncounted
is told of their sockets.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import zmq
from zmq import backend
from zmq.backend import proxy as bare_proxy

from hopwatch.finding import handed_over
from hopwatch.instrument import PROCESS
from hopwatch.patches import Function, exchange_functions
from hopwatch.proxying import counted_proxy, stop_probing
from hopwatch.settings import from_environment
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.state import Guard


def put_in_place() -> None:
    """Under every name that applications, and pyzmq's own devices, know them by."""
    exchange_functions(OURS_FOR_BARE)


def put_back() -> None:
    """In those modules too that were loaded in the meantime and took ours from another."""
    exchange_functions({ours: bare for bare, ours in OURS_FOR_BARE.items()})


@functools.wraps(bare_proxy)
def _proxy(
    frontend: zmq.Socket[bytes], backend: zmq.Socket[bytes], capture: zmq.Socket[bytes] | None = None
) -> Any:
    stop_probing(frontend, backend, capture)
    try:
        settings = from_environment()
    except OSError:  # no temporary directory
        return bare_proxy(frontend, backend, capture)
    if settings.disabled:
        return bare_proxy(frontend, backend, capture)
    if frontend is backend or not isinstance(frontend, HookedSocket) or not isinstance(backend, HookedSocket):
        _tell_of_handing_over(frontend, backend)
        return bare_proxy(frontend, backend, capture)
    return counted_proxy(frontend, backend, capture, settings.name or "proxy", PROCESS.instrument(settings))


def _tell_of_handing_over(*sockets: object) -> None:
    for socket in sockets:
        if isinstance(socket, HookedSocket):
            with Guard(socket._hopwatch):
                socket._hopwatch.find(handed_over())


def _uncounted(bare: Function) -> Function:
    @functools.wraps(bare)
    def hand_over(*args: Any, **kwargs: Any) -> Any:
        stop_probing(*args, *kwargs.values())
        _tell_of_handing_over(*args, *kwargs.values())
        return bare(*args, **kwargs)

    return hand_over


OURS_FOR_BARE: Mapping[Function, Function] = {
    bare_proxy: _proxy,
    **{
        bare: _uncounted(bare)
        for bare in (
            backend.proxy_steerable,
            getattr(backend, "monitored_queue", None),
            getattr(backend, "device", None),
        )
        if bare is not None
    },
}
