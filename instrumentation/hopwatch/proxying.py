"""``hopwatch.proxy``: ``zmq.proxy`` with the counts of what passes it."""

from __future__ import annotations

import logging

import zmq
from zmq.backend import proxy as bare_proxy
from zmq.backend import proxy_steerable as bare_proxy_steerable

from hopwatch.ids import as_text, new_id
from hopwatch.instrument import PROCESS, Instrument
from hopwatch.journal.counters import Words
from hopwatch.own_socket import OwnSocket
from hopwatch.settings import from_environment
from hopwatch.sockets.hooks import HookedSocket
from hopwatch.words import (
    PROXIED_IN_BYTES,
    PROXIED_IN_FRAMES,
    PROXIED_OUT_BYTES,
    PROXIED_OUT_FRAMES,
)
from hopwatch.wrapping import wrap

logger = logging.getLogger("hopwatch")

COUNTED = (PROXIED_IN_FRAMES, PROXIED_IN_BYTES, PROXIED_OUT_FRAMES, PROXIED_OUT_BYTES)
"""The order in which STATISTICS gives the counts of one side."""


class Statistics:
    """Asks a running proxy for its counts, from the monitor thread, and keeps them in the slots of its two sockets.

    Ends the context that it is given, once the proxy is over.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], address: str, sides: tuple[Words, Words]
    ) -> None:
        self._context = context
        self._asking = OwnSocket(context, zmq.REQ)
        self._asking.setsockopt(zmq.LINGER, 0)
        self._asking.connect(address)
        self._sides = sides
        self._asked = False
        self.over = False

    def __call__(self) -> bool:
        """Take the answer to the last question and ask again; False once the proxy is over."""
        if self._asked and self._asking.poll(0):
            self._keep([int.from_bytes(part, "little") for part in self._asking.recv_multipart()])
            self._asked = False
        if self.over:
            self._asking.close()
            self._context.term()
            return False
        if not self._asked:
            self._asking.send(b"STATISTICS")
            self._asked = True
        return True

    def _keep(self, counts: list[int]) -> None:
        for side, values in zip(self._sides, (counts[:4], counts[4:8]), strict=True):
            for word, value in zip(COUNTED, values, strict=True):
                side[word] = value


def proxy(
    frontend: zmq.Socket[bytes],
    backend: zmq.Socket[bytes],
    capture: zmq.Socket[bytes] | None = None,
    *,
    name: str | None = None,
) -> None:
    """Pass messages between two sockets as ``zmq.proxy`` does, until their context ends.

    Sockets that are not wrapped yet are wrapped here; wrap them when they are made, and their endpoints are known too.
    Raises what ``zmq.proxy`` raises.
    """
    settings = from_environment()
    if settings.disabled:
        bare_proxy(frontend, backend, capture)
        return
    front, back = (
        socket if isinstance(socket, HookedSocket) else wrap(socket, name=_side_name(name, side))
        for side, socket in (("in", frontend), ("out", backend))
    )
    stop_probing(front, back, capture)
    if not isinstance(front, HookedSocket) or not isinstance(back, HookedSocket):
        bare_proxy(frontend, backend, capture)
        return
    counted_proxy(front, back, capture, name or settings.name or "proxy", PROCESS.instrument(settings))


def stop_probing(*sockets: object) -> None:
    """Before sockets are handed to a proxy, which sends past us and would block on a probed one."""
    for socket in sockets:
        if isinstance(socket, HookedSocket):
            socket._hopwatch_stop_probing()


def counted_proxy(
    frontend: HookedSocket,
    backend: HookedSocket,
    capture: zmq.Socket[bytes] | None,
    name: str,
    instrument: Instrument,
) -> None:
    """Run the proxy with a control socket of a context of our own: the application's context does not see it."""
    identifier = new_id()
    _write_proxy(frontend, backend, name, identifier)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    control = OwnSocket(context, zmq.REP)
    control.setsockopt(zmq.LINGER, 0)
    address = f"inproc://hopwatch-proxy-{as_text(identifier)}"
    control.bind(address)
    statistics = Statistics(context, address, (frontend._hopwatch_words, backend._hopwatch_words))
    try:
        instrument.monitors.take(statistics)
        bare_proxy_steerable(frontend, backend, capture, control)
    finally:
        control.close()
        statistics.over = True


def _side_name(name: str | None, side: str) -> str | None:
    return None if name is None else f"{name}.{side}"


def _write_proxy(frontend: HookedSocket, backend: HookedSocket, name: str, identifier: int) -> None:
    front, back = frontend._hopwatch, backend._hopwatch
    front.journal.event(
        "proxy",
        proxy=as_text(identifier),
        name=name,
        frontend=as_text(front.identifier),
        backend=as_text(back.identifier),
        frontend_type=front.type_name,
        backend_type=back.type_name,
    )
