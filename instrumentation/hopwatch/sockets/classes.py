"""The class that a socket gets: one for all of its class and mode, with instrumented ways to send and receive put below the bare one."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any, cast

import zmq

from hopwatch.sockets.hooks import HookedSocket

SocketClass = type["zmq.Socket[bytes]"]

SENDS = [name for name in dir(zmq.Socket) if name.startswith("send")]

MOST_KEPT = 128
"""An application may make classes without end."""


class Unannounced:
    """Comes first among a class's bases: ``__init_subclass__`` of an application's own class does not hear of ours."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Tell nobody."""


def instrumented(
    bare: SocketClass, parts: tuple[type[HookedSocket], ...], above: tuple[type, ...] = ()
) -> type[HookedSocket]:
    """The instrumented class of a bare one, made when it is first asked for.

    The parts come after an application's own subclass of ``zmq.Socket`` and before ``zmq.Socket`` itself, so that what the
    subclass does stays its own and its ``super()`` calls reach us. What is to come before pyzmq's own subclass for an event
    loop, and still after the application's, is ``above``.
    """
    return _made(bare, parts, above)


def _make(
    bare: SocketClass, parts: tuple[type[HookedSocket], ...], above: tuple[type, ...]
) -> type[HookedSocket]:
    namespace: dict[str, Any] = {
        "__module__": bare.__module__,
        "__qualname__": bare.__qualname__,
        "__doc__": bare.__doc__,
        "__init__": _made_already,
        "_hopwatch_bare": bare,
        "_hopwatch_direct": bare.recv is zmq.Socket.recv and bare.getsockopt is zmq.Socket.getsockopt,
    }
    if "_repr_cls" in bare.__dict__:
        namespace["_repr_cls"] = bare.__dict__["_repr_cls"]
    if bare is zmq.Socket:
        return cast(type[HookedSocket], type(bare.__name__, (*parts, zmq.Socket), namespace))
    bases = _around(bare, type(bare.__name__, parts, {}), above)
    return _unnoticed(bare, (Unannounced, *bases), namespace)


def _made_already(*_: Any, **__: Any) -> None:
    """Do nothing: Python calls ``__init__`` again on the object that ``HookedSocket.__new__`` returns."""


_made: Callable[..., type[HookedSocket]] = lru_cache(maxsize=MOST_KEPT)(_make)


def _around(bare: SocketClass, below: type, above: tuple[type, ...]) -> tuple[type, ...]:
    if not above:
        return (bare, below)
    pyzmqs = next(cls for cls in bare.__mro__ if cls.__module__.partition(".")[0] == "zmq")
    around = (*above, pyzmqs, below)
    return around if pyzmqs is bare else (bare, type(bare.__name__, around, {}))


def _unnoticed(bare: SocketClass, bases: tuple[type, ...], namespace: dict[str, Any]) -> type[HookedSocket]:
    """A class of the application's own metaclass, which is not told of it: it may register classes, or want no more of them."""
    return cast(type[HookedSocket], type.__new__(type(bare), bare.__name__, bases, namespace))


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
