"""pyzmq's functions that take sockets over for as long as a proxy runs, in a form that knows wrapped sockets.

A probed PUB or XPUB would block in them, so its probing stops first. What passes a plain proxy is counted.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import zmq
from zmq import backend
from zmq.backend import proxy as bare_proxy

from hopwatch.instrument import PROCESS
from hopwatch.proxying import counted_proxy, stop_probing
from hopwatch.settings import from_environment
from hopwatch.sockets.hooks import HookedSocket

Function = Callable[..., Any]


def put_in_place() -> None:
    """In every module of pyzmq: applications, and pyzmq's own devices, know these functions under several names."""
    _exchange(OURS_FOR_BARE)


def put_back() -> None:
    """In every module of pyzmq, those too that were loaded in the meantime and took ours from another."""
    _exchange({ours: bare for bare, ours in OURS_FOR_BARE.items()})


@functools.wraps(bare_proxy)
def _proxy(
    frontend: zmq.Socket[bytes], backend: zmq.Socket[bytes], capture: zmq.Socket[bytes] | None = None
) -> Any:
    stop_probing(frontend, backend, capture)
    try:
        settings = from_environment()
    except OSError:  # no temporary directory
        return bare_proxy(frontend, backend, capture)
    if settings.disabled or frontend is backend:
        return bare_proxy(frontend, backend, capture)
    if not isinstance(frontend, HookedSocket) or not isinstance(backend, HookedSocket):
        return bare_proxy(frontend, backend, capture)
    return counted_proxy(frontend, backend, capture, settings.name or "proxy", PROCESS.instrument(settings))


def _without_probing(bare: Function) -> Function:
    @functools.wraps(bare)
    def hand_over(*args: Any, **kwargs: Any) -> Any:
        stop_probing(*args, *kwargs.values())
        return bare(*args, **kwargs)

    return hand_over


OURS_FOR_BARE: Mapping[Function, Function] = {
    bare_proxy: _proxy,
    **{
        bare: _without_probing(bare)
        for bare in (backend.proxy_steerable, getattr(backend, "monitored_queue", None))
        if bare is not None
    },
}


def _exchange(new_for_old: Mapping[Function, Function]) -> None:
    names = {function.__name__ for function in new_for_old}
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] != "zmq":
            continue
        for name in names & vars(module).keys():
            value = vars(module)[name]
            if callable(value) and value in new_for_old:
                setattr(module, name, new_for_old[value])
