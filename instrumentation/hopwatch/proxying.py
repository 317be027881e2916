"""``hopwatch.proxy``, and pyzmq's functions that take sockets over for as long as a proxy runs, in a form that knows wrapped sockets.

A probed PUB or XPUB would block in them, so its probing stops first. What passes a plain proxy is counted; that others passed something uncounted
is told of their sockets.
"""

import functools
import logging
from collections.abc import Mapping
from typing import Any

import zmq
from zmq.backend import proxy as bare_proxy
from zmq.backend import proxy_steerable as bare_proxy_steerable

from hopwatch import finding
from hopwatch.ids import as_text, new_id
from hopwatch.instrument import PROCESS, Instrument
from hopwatch.patches import Function, exchange_functions
from hopwatch.proxy_counts import ProxyCounts
from hopwatch.settings import Settings, from_environment
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.sockets.state import Guard
from hopwatch.wrapping import wrap

logger = logging.getLogger("hopwatch")

COUNTS_FRAMES_FROM = (4, 3, 5)
"""Before this libzmq, STATISTICS tells messages in place of frames, and to ask for them puts the question into the application's capture."""


def proxy(
    frontend: zmq.Socket[bytes],
    backend: zmq.Socket[bytes],
    capture: zmq.Socket[bytes] | None = None,
    *,
    name: str | None = None,
) -> None:
    """Pass messages between two sockets as ``zmq.proxy`` does, until their context ends.

    Sockets that are not wrapped yet are wrapped here; wrap them when they are made, and their endpoints are known too.
    Raises what ``zmq.proxy`` raises. Whatever else goes wrong leaves the proxy without counts, with a warning in the log.
    """
    settings = from_environment()
    instrument = None if settings.disabled else _wrapped(frontend, backend, name, settings)
    _stop_probing(frontend, backend, capture)
    if instrument and isinstance(frontend, HookedSocket) and isinstance(backend, HookedSocket):
        _counted_proxy(frontend, backend, capture, name or settings.name or "proxy", instrument)
    else:
        bare_proxy(frontend, backend, capture)


def put_in_place() -> None:
    """Put our functions under every name that applications, and pyzmq's own devices, know pyzmq's by."""
    exchange_functions(OURS_FOR_BARE)


def put_back() -> None:
    """Put pyzmq's functions back, in those modules too that were loaded in the meantime and took ours from another."""
    exchange_functions({ours: bare for bare, ours in OURS_FOR_BARE.items()})


def _stop_probing(*sockets: object) -> None:
    """Before sockets are handed to a proxy, which sends past us and would block on a probed one."""
    for socket in sockets:
        if isinstance(socket, HookedSocket):
            socket._hopwatch_stop_probing()


def _counted_proxy(
    frontend: HookedSocket,
    backend: HookedSocket,
    capture: zmq.Socket[bytes] | None,
    name: str,
    instrument: Instrument,
) -> None:
    """A proxy of two wrapped sockets: counted, if what that takes can be had."""
    counts = _counts(frontend, backend, instrument)
    if counts is None:
        bare_proxy(frontend, backend, capture)
        return
    sides = {
        "proxy": as_text(new_id()),
        "name": name,
        "frontend": as_text(frontend._hopwatch.identifier),
        "backend": as_text(backend._hopwatch.identifier),
        "frontend_type": frontend._hopwatch.type_name,
        "backend_type": backend._hopwatch.type_name,
    }
    journal = frontend._hopwatch.journal
    journal.event("proxy", **sides)
    counts.begun = True
    instrument.monitors.hurry(counts.run)
    try:
        # ProxyCounts restarts it; it ends by an exception: the context's end, or a signal handler's
        while True:
            bare_proxy_steerable(frontend, backend, capture, counts.control)
    finally:
        journal.event("proxy_ended", **sides, **counts.end())
        instrument.monitors.hurry(counts.run)


def _wrapped(
    frontend: zmq.Socket[bytes], backend: zmq.Socket[bytes], name: str | None, settings: Settings
) -> Instrument | None:
    """The instrument, once both sockets have been wrapped as far as they can be."""
    try:
        for side, socket in (("in", frontend), ("out", backend)):
            if not isinstance(socket, HookedSocket):
                wrap(socket, name=None if name is None else f"{name}.{side}")
        return PROCESS.instrument(settings)
    except Exception:
        logger.warning("hopwatch could not instrument a proxy", exc_info=True)
        return None


def _counts(frontend: HookedSocket, backend: HookedSocket, instrument: Instrument) -> ProxyCounts | None:
    if zmq.zmq_version_info() < COUNTS_FRAMES_FROM:
        for side in (frontend, backend):
            side._hopwatch.find(finding.proxy_not_counted(zmq.zmq_version_info()))
        return None
    counts = None
    try:
        counts = ProxyCounts(frontend._hopwatch, backend._hopwatch)
        instrument.monitors.take(counts.run)
    except Exception:
        logger.warning("hopwatch does not count what passes a proxy", exc_info=True)
        if counts is not None:
            counts.abandon()
        return None
    return counts


@functools.wraps(bare_proxy)
def _proxy(
    frontend: zmq.Socket[bytes], backend: zmq.Socket[bytes], capture: zmq.Socket[bytes] | None = None
) -> Any:
    _stop_probing(frontend, backend, capture)
    settings = from_environment()
    if settings.disabled:
        return bare_proxy(frontend, backend, capture)
    if frontend is backend or not isinstance(frontend, HookedSocket) or not isinstance(backend, HookedSocket):
        _tell_of_handing_over(frontend, backend)
        return bare_proxy(frontend, backend, capture)
    return _counted_proxy(frontend, backend, capture, settings.name or "proxy", PROCESS.instrument(settings))


def _tell_of_handing_over(*sockets: object) -> None:
    for socket in sockets:
        if isinstance(socket, HookedSocket):
            with Guard(socket._hopwatch):
                socket._hopwatch.find(finding.handed_over())


def _uncounted(bare: Function) -> Function:
    @functools.wraps(bare)
    def hand_over(*args: Any, **kwargs: Any) -> Any:
        _stop_probing(*args, *kwargs.values())
        _tell_of_handing_over(*args, *kwargs.values())
        return bare(*args, **kwargs)

    return hand_over


OURS_FOR_BARE: Mapping[Function, Function] = {
    bare_proxy: _proxy,
    **{
        bare: _uncounted(bare)
        for bare in (
            bare_proxy_steerable,
            getattr(zmq.backend, "monitored_queue", None),
            getattr(zmq.backend, "device", None),
        )
        if bare is not None
    },
}
