"""The Python objects that stand for one libzmq socket: the application's, pyzmq's own within it, and shadows of them."""

import functools
import itertools
import sys
import weakref
from collections.abc import Callable
from typing import Any, cast

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.sockets import unbound_calls
from hopwatch.sockets.backend import DONTWAIT
from hopwatch.sockets.classes import instrumented
from hopwatch.sockets.greenlets import GreenletWaits
from hopwatch.sockets.hooks import HookedSocket, use
from hopwatch.sockets.pending import Front, JoinedPending, Pending
from hopwatch.sockets.state import SocketState
from hopwatch.sockets.ways import Way
from hopwatch.sockets.worker import AskedByLoops, Worker

ASYNCHRONOUS = "zmq._future"
"""Holds the base of all asyncio and tornado sockets; loaded with the first of these."""

AnySocket = zmq.Socket[Any]

LENT = [
    name
    for name in ("send", "recv", "recv_into", "poll", "get", "getsockopt", "set", "setsockopt", "monitor")
    if hasattr(zmq.Socket, name)
]


def worker_of(socket: AnySocket) -> AnySocket:
    """The object that does the sends and receives: an asyncio or tornado socket has a plain one for that."""
    return cast(Any, socket)._shadow_sock if is_asynchronous(socket) else socket


def is_asynchronous(socket: AnySocket) -> bool:
    """Whether it is an asyncio or tornado socket."""
    return _is_a(socket, ASYNCHRONOUS, "_AsyncSocket")


def way_of(socket: AnySocket) -> Way:
    """How the sends and receives of a socket come to us."""
    if _is_a(socket, "zmq.green.core", "_Socket"):
        return Way(DONTWAIT, sends_deferred=True, receives_deferred=True)
    worker = worker_of(socket)
    pyzmqs_own = type(worker) is zmq.Socket and isinstance(worker._shadow_obj, int)
    if worker is not socket and pyzmqs_own:
        return Way(DONTWAIT, sends_deferred=True, asynchronous=True)
    return Way()


def above(socket: AnySocket) -> tuple[type, ...]:
    """What comes above pyzmq's own class in the instrumented class of a worker."""
    return (GreenletWaits,) if _is_a(socket, "zmq.green.core", "_Socket") else ()


def parts_of(way: Way) -> tuple[type[HookedSocket], ...]:
    """The classes between ``zmq.Socket`` and the application's own, the first of them asked first."""
    return (AskedByLoops, Worker) if way.asynchronous else (Worker,)


def enrol(socket: AnySocket, new_class: type[HookedSocket], state: SocketState) -> HookedSocket:
    """Give an object its instrumented class, and its place among those that stand for the same socket."""
    # past a ``__setattr__`` of the application's class, and before the methods that another thread may call at once
    does_the_work = issubclass(new_class, Worker)
    methods = state.methods if does_the_work else {}
    socket.__dict__.update(methods, _hopwatch=state)
    socket.__class__ = new_class
    hooked = cast(HookedSocket, socket)
    state.members.add(hooked)
    if does_the_work and not new_class._hopwatch_direct:
        state.incoming.may_ask_seldom = False
    unbound_calls.PROCESS.reach(hooked)
    return hooked


def join(socket: AnySocket, state: SocketState) -> HookedSocket | None:
    """Let a further object stand for an instrumented socket; None where nothing of that does any work any more."""
    worker = worker_of(socket)
    if not isinstance(worker, HookedSocket):
        model = _worker_among(state)
        if model is None:
            return None
        return_lent(worker)
        model._hopwatch_stop_probing()
        enrol(worker, instrumented(type(worker), parts_of(state.way), above(worker)), state)
    if worker is not socket:
        pending = Pending if state.way.sends_deferred else JoinedPending
        enrol(socket, instrumented(type(socket), (Front,), (pending,)), state)
    return cast(HookedSocket, socket)


def adopt(shadow: AnySocket, state: SocketState) -> None:
    """Make a new shadow part of the socket.

    A plain one keeps its class, which tells an asyncio socket's two objects apart. It borrows the worker's ways.
    """
    worker = _worker_among(state)
    if worker is None:
        return
    if type(shadow) is not zmq.Socket:
        join(shadow, state)
        return
    worker._hopwatch_stop_probing()
    with use(worker, state):  # it may be bound or connected past us
        pass
    shadow.__dict__.update({name: _lent(worker, shadow, name) for name in LENT}, _hopwatch=state)
    state.borrowers.add(shadow)


def _lent(worker: HookedSocket, shadow: AnySocket, name: str) -> Callable[..., Any]:
    """The worker's way, for as long as there is one: what the application drops is closed at once."""
    bare = getattr(zmq.Socket, name)
    lender, borrower = weakref.ref(worker), weakref.ref(shadow)

    def call(*arguments: Any, **options: Any) -> Any:
        living = lender()
        if living is None:
            return bare(borrower(), *arguments, **options)
        return _own_way(living, name)(*arguments, **options)

    return functools.wraps(bare)(call)


def _own_way(worker: HookedSocket, name: str) -> Callable[..., Any]:
    """What is below all that the application's own classes do: it is as deep as a shadow of the bare socket goes."""
    theirs = list(itertools.takewhile(lambda each: not _is_pyzmqs(each), worker._hopwatch_bare.__mro__))
    return cast(Callable[..., Any], getattr(super(theirs[-1], worker) if theirs else worker, name))


def _is_pyzmqs(some: type) -> bool:
    return some.__module__.partition(".")[0] == "zmq"


def _worker_among(state: SocketState) -> HookedSocket | None:
    return next((member for member in state.members if isinstance(member, Worker)), None)


def return_lent(socket: AnySocket) -> None:
    """Leave a shadow to itself."""
    for name in (*LENT, "_hopwatch"):
        socket.__dict__.pop(name, None)


def leave(socket: HookedSocket) -> None:
    """Make an object bare again."""
    bare = type(socket)._hopwatch_bare
    state: SocketState | None = socket.__dict__.get(
        "_hopwatch"
    )  # None where it was not instrumented to the end
    if state is not None:
        state.leave_stamp_room(socket)
        state.leave_hot_path()
    socket.__class__ = bare  # type: ignore[assignment]
    for attribute in [name for name in socket.__dict__ if name.startswith("_hopwatch")]:
        socket.__dict__.pop(attribute, None)


def leave_unfinished(socket: AnySocket) -> None:
    """Make a socket bare that could not be instrumented to the end, whichever of its objects were."""
    for member in (worker_of(socket), socket):
        if isinstance(member, HookedSocket):
            state = member.__dict__.get("_hopwatch")
            leave(member)
            if state is not None:
                state.write_closed()


def address_of(socket: AnySocket) -> int:
    """The handle's address, read past our own hook, which takes this for the application's doing."""
    return int(BackendSocket.underlying.__get__(socket))


def _is_a(socket: AnySocket, module: str, name: str) -> bool:
    """Whether it is of a class of pyzmq's that is imported only where an application uses it."""
    loaded = sys.modules.get(module)
    return isinstance(socket, getattr(loaded, name, ()))
