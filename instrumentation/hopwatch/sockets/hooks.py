"""What every instrumented socket does besides sending and receiving: it journals how it is set up and closed."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import finding
from hopwatch.rules.setup import Kind
from hopwatch.sockets.attaching import Attaching
from hopwatch.sockets.backend import BARE
from hopwatch.sockets.options import decides_probing, option_set
from hopwatch.sockets.set_up import last_endpoint
from hopwatch.sockets.state import Guard, SocketState
from hopwatch.words import SENT

INPROC = "inproc://"

ZAP_ENDPOINT = "inproc://zeromq.zap.01"
"""Who binds it answers libzmq's own questions of authentication, in messages of a fixed number of frames."""


Method = TypeVar("Method", bound=Callable[..., Any])

ADDRESS: Any = BackendSocket.underlying


class InMaking(threading.local):
    """Counts pyzmq's ``__init__`` calls that this thread is in: they read a shadowed socket's address."""

    depth = 0


IN_MAKING = InMaking()


def also_when_held(method: Method) -> Method:
    """Lets a bound method that somebody kept go on as the bare one once its socket was unwrapped."""

    @functools.wraps(method)
    def call(self: zmq.Socket[bytes], *arguments: Any, **options: Any) -> Any:
        if isinstance(self, HookedSocket):
            return method(self, *arguments, **options)
        return getattr(self, method.__name__)(*arguments, **options)

    return cast(Method, call)


class HookedSocket(zmq.Socket[bytes]):
    """Stands between ``zmq.Socket`` and the application's own subclass of it.

    The attributes are declared here, because pyzmq takes undeclared ones for socket options. A class serves all sockets that are instrumented
    alike: what counts for one of them is among its own attributes (``Methods``).
    """

    _hopwatch: SocketState
    _hopwatch_bare: type[zmq.Socket[bytes]]
    _hopwatch_parts: ClassVar[tuple[type[HookedSocket], ...]]
    _hopwatch_above: ClassVar[tuple[type, ...]]
    _hopwatch_direct = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Who makes another socket by the class of a wrapped one gets one of the application's class."""
        return cls._hopwatch_bare(*args, **kwargs)

    @also_when_held
    def setsockopt(self, option: int, optval: Any) -> None:
        """As the bare socket's; what was set is journaled."""
        if decides_probing(self._hopwatch, option, optval):
            self._hopwatch_stop_probing()
        BackendSocket.set(self, option, self._hopwatch.with_stamp_room(option, optval))
        with Guard(self._hopwatch):
            option_set(self._hopwatch, int(option), optval)

    set = setsockopt  # type: ignore[assignment]

    @also_when_held
    def bind(self, addr: str | bytes) -> Any:
        """As the bare socket's; the endpoint is journaled as libzmq resolved it."""
        with Use(self, event_follows=True):
            context = BARE.bind(self, addr)
        with Guard(self._hopwatch):
            endpoint = last_endpoint(self) or _text(addr)
            self._hopwatch.event("bind", endpoint=endpoint)
            if endpoint.startswith(INPROC):
                self._hopwatch.bound_within.add((self.context.underlying, endpoint))
            if _text(addr) == ZAP_ENDPOINT:
                self._hopwatch.stop_stamping(finding.zap_refused())
            self._hopwatch.consider(Kind.BOUND, endpoint)
        return context

    @also_when_held
    def connect(self, addr: str | bytes) -> Any:
        """As the bare socket's; the endpoint is journaled."""
        with Use(
            self, event_follows=True
        ):  # before: the first send is to find the connection as libzmq has just made it
            pass
        context = BARE.connect(self, addr)
        self._hopwatch_endpoint("connect", addr, Kind.CONNECTED)
        with Guard(self._hopwatch):
            self._hopwatch_connected_within(_text(addr))
        return context

    @also_when_held
    def unbind(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        BARE.unbind(self, addr)
        self._hopwatch_endpoint("unbind", addr, Kind.UNBOUND)

    @also_when_held
    def disconnect(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        BARE.disconnect(self, addr)
        self._hopwatch_endpoint("disconnect", addr)

    @also_when_held
    def monitor(self, addr: str | bytes | None, events: int = zmq.EVENT_ALL) -> None:
        """As the bare socket's; libzmq has one monitor a socket, so the application's takes the place of ours."""
        BARE.monitor(self, addr, events)
        with Guard(self._hopwatch):
            self._hopwatch.monitored = False
            self._hopwatch.attaching = Attaching()
            self._hopwatch.note("monitor", state="stopped" if addr is None else "application")

    def _hopwatch_tell_address(self) -> int:
        """As the bare socket's; whoever has the address may send past us, so onsets are probed no more."""
        if not IN_MAKING.depth:
            self._hopwatch_stop_probing()
            with Use(self):
                pass
            with Guard(self._hopwatch):
                if self._hopwatch.receives is not None:
                    self._hopwatch.receives.address_taken()
        return cast(int, ADDRESS.__get__(self))

    underlying = property(_hopwatch_tell_address, ADDRESS.__set__, ADDRESS.__delete__)

    def __copy__(self, memo: Any = None) -> Any:
        """As the bare socket's: a shadow; it is a part of this socket."""
        return self._hopwatch_bare.shadow(ADDRESS.__get__(self))

    __deepcopy__ = __copy__

    @also_when_held
    def close(self, linger: int | None = None) -> None:
        """As the bare socket's; our monitor goes first, so that ``Context.term()`` never waits for it."""
        state = self._hopwatch
        ours = state.process == os.getpid()
        unread = None
        if ours and not self._closed:
            with Guard(state):
                unread = has_unread(self)
                self._hopwatch_closing(linger)
            with Guard(state):
                stop_monitor(self, state)
        BARE.close(self, linger)
        if ours:
            with Guard(state):
                state.write_closed(unread)

    def _hopwatch_closing(self, linger: int | None) -> None:
        state = self._hopwatch
        if isinstance(linger, int):
            state.event("option", option="linger", value=int(linger))
            state.consider(Kind.CLOSE_LINGERS, value=linger)
        state.consider(Kind.CLOSING, value=self._hopwatch.slot.words[SENT])

    def _hopwatch_connected_within(self, addr: str) -> None:
        """Who is bound to an inproc endpoint is looked at before the next message is stamped: it may be bound only then."""
        state = self._hopwatch
        if state.numbering is not None and addr.startswith(INPROC):
            state.connected_within.append((self.context.underlying, addr))
            state.numbering.single_frame_lane = None

    def _hopwatch_endpoint(self, event: str, addr: str | bytes, kind: Kind | None = None) -> None:
        with Guard(self._hopwatch):
            endpoint = _text(addr)
            self._hopwatch.event(event, endpoint=endpoint)
            if kind is not None:
                self._hopwatch.consider(kind, endpoint)

    def _hopwatch_stop_probing(self) -> None:
        """Probe it no more, if it was."""
        sends = self._hopwatch.sends
        if sends is not None:
            sends.refusals.stop_probing(self)


class Use:
    """Around what makes a socket usable: its monitor is attached before, and what was noted of it journaled after.

    Until then what is to be told of it can wait. Writing a file and waking a thread let other threads run, which making and setting up a bare
    socket does not: applications count on being the first to bind, or to end a context.

    ``event_follows``: it is journaled with the event that the caller writes at once, by one system call.
    """

    __slots__ = ("_event_follows", "_socket", "_state")

    def __init__(self, socket: HookedSocket, *, event_follows: bool = False) -> None:
        self._socket, self._state = socket, socket._hopwatch
        self._event_follows = event_follows

    def __enter__(self) -> None:
        """Attach the monitor, so that it misses nothing."""
        if not self._state.in_use:
            with Guard(self._state):
                self._state.attaching.before_use(self._socket)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Have the monitor drained, also where the socket has not become usable: it blocks libzmq otherwise."""
        state = self._state
        if state.in_use:
            return
        state.in_use = kind is None
        with Guard(state):
            state.attaching.after_use()
            if state.in_use and not self._event_follows:
                state.journal.write_waiting()


def _text(addr: str | bytes) -> str:
    """Some versions of pyzmq take whatever bytes can be made of."""
    return addr if isinstance(addr, str) else bytes(addr).decode(errors="replace")


def has_unread(socket: zmq.Socket[bytes]) -> bool | None:
    """Whether messages that had reached the socket wait to be received; None where libzmq does not say any more."""
    try:
        return bool(cast(int, BackendSocket.get(socket, zmq.EVENTS)) & zmq.POLLIN)
    except zmq.ZMQError:
        return None


def stop_monitor(socket: zmq.Socket[bytes], state: SocketState) -> None:
    """Detach our monitor, if it is attached. Of a socket that is gone, or whose context is, libzmq has closed it already."""
    with state.detaching:
        if not state.monitored:
            return
        state.monitored = False
        try:
            BackendSocket.monitor(socket, None, 0)
        except zmq.ZMQError as error:
            if error.errno not in {zmq.ETERM, zmq.ENOTSOCK}:
                raise
        finally:
            state.attaching.wake()
