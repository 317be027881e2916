"""What every instrumented socket does besides sending and receiving: it journals how it is set up and closed."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, ClassVar, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding
from hopwatch.journal.counters import Words
from hopwatch.sockets.state import Guard, SocketState

SUBSCRIPTION_OPTIONS = {int(zmq.SUBSCRIBE): "subscribe", int(zmq.UNSUBSCRIBE): "unsubscribe"}

ZAP_ENDPOINT = "inproc://zeromq.zap.01"
"""Who binds it answers libzmq's own questions of authentication, in messages of a fixed number of frames."""


class HookedSocket(zmq.Socket[bytes]):
    """Stands between ``zmq.Socket`` and the application's own subclass of it.

    The attributes are declared here, because pyzmq takes undeclared ones for socket options.
    """

    _hopwatch: SocketState
    _hopwatch_words: Words
    _hopwatch_bare: type[zmq.Socket[bytes]]
    _hopwatch_parts: tuple[type[HookedSocket], ...]
    _hopwatch_methods: ClassVar[dict[str, Any]]
    _hopwatch_direct = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """A wrapped socket's class is its own alone: who makes another socket by it gets one of the application's class."""
        return cls._hopwatch_bare(*args, **kwargs)

    def setsockopt(self, option: int, optval: Any) -> None:
        """As the bare socket's; what was set is journaled."""
        if option == zmq.XPUB_NODROP:
            self._hopwatch_stop_probing()
        BackendSocket.set(self, option, optval)
        with Guard(self._hopwatch):
            self._hopwatch_option_set(int(option), optval)

    set = setsockopt  # type: ignore[assignment]

    def bind(self, addr: str) -> Any:
        """As the bare socket's; the endpoint is journaled as libzmq resolved it."""
        context = super().bind(addr)
        with Guard(self._hopwatch):
            if addr == ZAP_ENDPOINT:
                self._hopwatch.stop_stamping(finding.zap_refused())
            endpoint = cast(bytes, BackendSocket.get(self, zmq.LAST_ENDPOINT))
            self._hopwatch.event("bind", endpoint=endpoint.decode(errors="replace"))
        return context

    def connect(self, addr: str) -> Any:
        """As the bare socket's; the endpoint is journaled."""
        context = super().connect(addr)
        self._hopwatch_endpoint("connect", addr)
        return context

    def unbind(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        super().unbind(addr)
        self._hopwatch_endpoint("unbind", addr)

    def disconnect(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        super().disconnect(addr)
        self._hopwatch_endpoint("disconnect", addr)

    def monitor(self, addr: str | bytes | None, events: int = zmq.EVENT_ALL) -> None:
        """As the bare socket's; libzmq has one monitor a socket, so the application's takes the place of ours."""
        super().monitor(addr, events)
        with Guard(self._hopwatch):
            self._hopwatch.monitored = False
            self._hopwatch.event("monitor", state="stopped" if addr is None else "application")

    @property
    def underlying(self) -> int:
        """As the bare socket's; whoever has the address may send past us, so onsets are probed no more."""
        self._hopwatch_stop_probing()
        return cast(int, BackendSocket.underlying.__get__(self))

    def close(self, linger: int | None = None) -> None:
        """As the bare socket's; our monitor goes first, so that ``Context.term()`` never waits for it."""
        state = self._hopwatch
        ours = not self._closed and state.process == os.getpid()
        if ours:
            with Guard(state):
                stop_monitor(self, state)
        super().close(linger)
        if ours:
            with Guard(state):
                state.write_closed()

    def _hopwatch_endpoint(self, event: str, addr: str | bytes) -> None:
        with Guard(self._hopwatch):
            endpoint = addr.decode(errors="replace") if isinstance(addr, bytes) else addr
            self._hopwatch.event(event, endpoint=endpoint)

    def _hopwatch_option_set(self, option: int, value: Any) -> None:
        state = self._hopwatch
        if option == zmq.CONFLATE and value:
            state.stop_stamping(finding.conflate_refused())
        action = SUBSCRIPTION_OPTIONS.get(option)
        if action is not None and state.subscriptions is not None:
            subscription_changed(state, action, bytes(value))
        elif isinstance(value, int | str):
            name = zmq.SocketOption(option).name.lower() if option in OPTION_NUMBERS else str(option)
            state.event("option", option=name, value=int(value) if isinstance(value, int) else value)

    def _hopwatch_stop_probing(self) -> None:
        """Nothing to stop where nothing probes."""

    def _hopwatch_arm(self) -> None:
        """Nothing to arm where nothing is to be probed, or no more."""


def unwrapped_meanwhile(socket: object) -> bool:
    """Whether another thread has unwrapped the socket that this one is waiting on."""
    return not isinstance(socket, HookedSocket)


OPTION_NUMBERS = frozenset(int(option) for option in zmq.SocketOption)


def subscription_changed(state: SocketState, action: str, topic: bytes) -> None:
    """Follow and journal one subscription more or less."""
    if state.subscriptions is None:
        return
    if action == "subscribe":
        state.subscriptions.add(topic)
    else:
        state.subscriptions.remove(topic)
        state.receiving.unsubscribed()
    state.event(action, topic=topic.hex())


def stop_monitor(socket: zmq.Socket[bytes], state: SocketState) -> None:
    """Detach our monitor, if it is attached. Of a terminated context's sockets libzmq has closed it already."""
    if state.monitored:
        state.monitored = False
        with suppress(zmq.ContextTerminated):
            BackendSocket.monitor(socket, None, 0)
