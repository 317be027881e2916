"""What every instrumented socket does besides sending and receiving: it journals how it is set up and closed."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

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


ADDRESS: Any = BackendSocket.underlying


class InMaking(threading.local):
    """Counts pyzmq's ``__init__`` calls that this thread is in: they read a shadowed socket's address."""

    depth = 0


IN_MAKING = InMaking()


def state_of(socket: Any) -> SocketState | None:
    """The state of a wrapped socket. None: somebody held on to a method of it, and it is wrapped no more; its own method does then.

    A call asks once: its socket may be unwrapped before it ends.
    """
    state: SocketState | None = socket.__dict__.get("_hopwatch")
    return state


class HookedSocket(zmq.Socket[bytes]):
    """Stands between ``zmq.Socket`` and the application's own subclass of it.

    The attributes are declared here, because pyzmq takes undeclared ones for socket options. A class serves all sockets that are instrumented
    alike: what counts for one of them is among its own attributes (``Methods``).
    """

    _hopwatch: SocketState
    _hopwatch_bare: type[zmq.Socket[bytes]]
    _hopwatch_direct = False

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Who makes another socket by the class of a wrapped one gets one of the application's class."""
        return cls._hopwatch_bare(*args, **kwargs)

    def setsockopt(self, option: int, optval: Any) -> None:
        """As the bare socket's; what was set is journaled."""
        state = state_of(self)
        if state is None:
            self.setsockopt(option, optval)
            return
        if decides_probing(state, option, optval):
            _stop_probing(self, state)
        BackendSocket.set(self, option, state.with_stamp_room(option, optval))
        with Guard(state):
            option_set(state, int(option), optval)

    set = setsockopt  # type: ignore[assignment]

    def bind(self, addr: str | bytes) -> Any:
        """As the bare socket's; the endpoint is journaled as libzmq resolved it."""
        state = state_of(self)
        if state is None:
            return self.bind(addr)
        with use(self, state, event_follows=True):
            context = BARE.bind(self, addr)
        with Guard(state):
            endpoint = last_endpoint(self) or _text(addr)
            state.event("bind", endpoint=endpoint)
            if endpoint.startswith(INPROC):
                state.bound_within.add((self.context.underlying, endpoint))
            if _text(addr) == ZAP_ENDPOINT:
                state.stop_stamping(finding.zap_refused())
            state.consider(Kind.BOUND, endpoint)
        return context

    def connect(self, addr: str | bytes) -> Any:
        """As the bare socket's; the endpoint is journaled."""
        state = state_of(self)
        if state is None:
            return self.connect(addr)
        with use(self, state, event_follows=True):
            pass  # before: the first send is to find the connection as libzmq has just made it
        context = BARE.connect(self, addr)
        _tell_endpoint(state, "connect", addr, Kind.CONNECTED)
        with Guard(state):
            if state.numbering is not None and _text(addr).startswith(INPROC):
                # who is bound to it is looked at before the next message is stamped: it may be bound only then
                state.connected_within.append((self.context.underlying, _text(addr)))
                state.numbering.single_frame_lane = None
        return context

    def unbind(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        state = state_of(self)
        if state is None:
            self.unbind(addr)
            return
        BARE.unbind(self, addr)
        _tell_endpoint(state, "unbind", addr, Kind.UNBOUND)

    def disconnect(self, addr: str | bytes) -> None:
        """As the bare socket's; the endpoint is journaled."""
        state = state_of(self)
        if state is None:
            self.disconnect(addr)
            return
        BARE.disconnect(self, addr)
        _tell_endpoint(state, "disconnect", addr)

    def monitor(self, addr: str | bytes | None, events: int = zmq.EVENT_ALL) -> None:
        """As the bare socket's; libzmq has one monitor a socket, so the application's takes the place of ours."""
        state = state_of(self)
        if state is None:
            self.monitor(addr, events)
            return
        BARE.monitor(self, addr, events)
        with Guard(state):
            state.monitored = False
            state.attaching = Attaching()
            state.note("monitor", state="stopped" if addr is None else "application")

    def _hopwatch_tell_address(self) -> int:
        """As the bare socket's; whoever has the address may send past us, so onsets are probed no more."""
        state = state_of(self)
        if not IN_MAKING.depth and state is not None:
            _stop_probing(self, state)
            with use(self, state):
                pass
            with Guard(state):
                if state.receives is not None:
                    state.receives.address_taken()
        return cast(int, ADDRESS.__get__(self))

    underlying = property(_hopwatch_tell_address, ADDRESS.__set__, ADDRESS.__delete__)

    def __copy__(self, memo: Any = None) -> Any:
        """As the bare socket's: a shadow; it is a part of this socket."""
        return self._hopwatch_bare.shadow(ADDRESS.__get__(self))

    __deepcopy__ = __copy__

    def close(self, linger: int | None = None) -> None:
        """As the bare socket's; our monitor goes first, so that ``Context.term()`` never waits for it."""
        state = state_of(self)
        if state is None:
            self.close(linger)
            return
        ours = state.process == os.getpid()
        unread = None
        if ours and not self._closed:
            with Guard(state):
                unread = has_unread(self)
                _tell_closing(state, linger)
            with Guard(state):
                stop_monitor(self, state)
        BARE.close(self, linger)
        if ours:
            with Guard(state):
                state.write_closed(unread)

    def _hopwatch_stop_probing(self) -> None:
        """Probe it no more, if it was."""
        _stop_probing(self, self._hopwatch)


@contextmanager
def use(socket: HookedSocket, state: SocketState, *, event_follows: bool = False) -> Iterator[None]:
    """Around what makes a socket usable: its monitor is attached before, and what was noted of it journaled after.

    Until then what is to be told of it can wait. Writing a file and waking a thread let other threads run, which making and setting up a bare
    socket does not: applications count on being the first to bind, or to end a context.

    ``event_follows``: it is journaled with the event that the caller writes at once, by one system call.
    """
    if state.in_use:
        yield
        return
    with Guard(state):
        state.attaching.before_use(socket)
    usable = False
    try:
        yield
        usable = True
    finally:
        state.in_use = usable
        with Guard(state):
            state.attaching.after_use()  # also where it has not become usable: a monitor that is not drained blocks libzmq
            if usable and not event_follows:
                state.journal.write_waiting()


def _stop_probing(socket: HookedSocket, state: SocketState) -> None:
    sends = state.sends
    if sends is not None:
        sends.refusals.stop_probing(socket)


def _tell_closing(state: SocketState, linger: int | None) -> None:
    if isinstance(linger, int):
        state.event("option", option="linger", value=int(linger))
        state.consider(Kind.CLOSE_LINGERS, value=linger)
    state.consider(Kind.CLOSING, value=state.slot.words[SENT])


def _tell_endpoint(state: SocketState, event: str, addr: str | bytes, kind: Kind | None = None) -> None:
    with Guard(state):
        endpoint = _text(addr)
        state.event(event, endpoint=endpoint)
        if kind is not None:
            state.consider(kind, endpoint)


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
