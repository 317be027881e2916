"""What an application can do to set a socket up, and to ask what it is, each as a function of the socket and its whereabouts."""

import contextlib
import copy
import gc
import pickle
import re
import socket as tcp
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import zmq
from socket_actions import seen

ADDRESSES = re.compile(r"\b0x[0-9a-f]+")


@dataclass
class Bench:
    """A socket, another one that it can be connected to, and a folder for its ipc endpoints."""

    socket: zmq.Socket
    peer: zmq.Socket
    folder: Path
    taken: tcp.socket
    readers: list[zmq.Socket] = field(default_factory=list)

    def place(self, address: Any) -> Any:
        """An address, with what differs from socket to socket put in."""
        if address == "last":
            return self.socket.last_endpoint
        if isinstance(address, str):
            return address.replace("FOLDER", str(self.folder)).replace("TAKEN", str(self.port))
        return address

    @property
    def port(self) -> int:
        """A TCP port that is taken."""
        return int(self.taken.getsockname()[1])

    def without_places(self, text: str) -> str:
        """A text, with what differs from socket to socket by right left out."""
        for place in (str(self.folder), str(self.port)):
            text = text.replace(place, "PLACE")
        return re.sub(r"(tcp://\S*:)\d+", r"\1", ADDRESSES.sub("0x", text))

    def seen(self, value: Any) -> Any:
        if is_made_up_by_libzmq(value.encode(errors="replace") if isinstance(value, str) else value):
            return "a routing id that libzmq made up"
        if isinstance(value, bytes):
            return "bytes", self.without_places(value.decode("latin-1"))
        if isinstance(value, str):
            return "str", self.without_places(value)
        return seen(value)


def is_made_up_by_libzmq(value: Any) -> bool:
    """Whether this is the routing id, of five bytes and other ones each time, of a peer or socket that has none of its own."""
    return isinstance(value, bytes) and len(value) == 5 and value[:1] == b"\0"


def set_option(bench: Bench, how: str, option: Any, value: Any) -> Any:
    return getattr(bench.socket, how)(option, value)


def get_option(bench: Bench, how: str, option: Any) -> Any:
    value = getattr(bench.socket, how)(option)
    return value > 0 if option == zmq.FD else bench.seen(value)


def set_attribute(bench: Bench, name: str, value: Any) -> Any:
    setattr(bench.socket, name, value)
    return get_attribute(bench, name)


def get_attribute(bench: Bench, name: str) -> Any:
    value = getattr(bench.socket, name)
    return value > 0 if name.lower() in {"fd", "underlying"} else bench.seen(value)


def delete_attribute(bench: Bench, name: str) -> Any:
    delattr(bench.socket, name)


def set_string(bench: Bench, how: str, *arguments: Any) -> Any:
    return getattr(bench.socket, how)(*arguments)


def get_string(bench: Bench, how: str, *arguments: Any) -> Any:
    return bench.seen(getattr(bench.socket, how)(*arguments))


def subscribe(bench: Bench, how: str, topic: Any) -> Any:
    return getattr(bench.socket, how)(topic)


def endpoint(bench: Bench, how: str, address: Any) -> Any:
    came = getattr(bench.socket, how)(bench.place(address))
    return type(came).__name__, bench.without_places(repr(came)), bench.seen(bench.socket.last_endpoint)


def endpoint_by_name(bench: Bench, how: str, address: Any) -> Any:
    return type(getattr(bench.socket, how)(addr=bench.place(address))).__name__


def endpoint_for_a_while(bench: Bench, how: str, address: Any, inside: str) -> Any:
    with getattr(bench.socket, how)(bench.place(address)) as given:
        if inside == "close":
            given.close()
        elif inside == "undo":
            bench.socket.unbind(bench.socket.last_endpoint)
        return given is bench.socket


def peer_endpoint(bench: Bench, how: str, address: str) -> Any:
    return type(getattr(bench.peer, how)(bench.place(address))).__name__


def random_port(bench: Bench, address: Any, kind: str) -> Any:
    if kind == "any":
        return type(bench.socket.bind_to_random_port(address))
    tries: Any = {"taken": 3, "never": 0, "text": "x"}[kind]
    return bench.socket.bind_to_random_port(address, bench.port, bench.port + 1, tries) == bench.port


def tells(bench: Bench) -> Any:
    """What a socket says of itself."""
    socket = bench.socket
    kind = type(socket)
    return (
        bench.without_places(repr(socket)),
        bench.without_places(str(socket)),
        (kind.__name__, kind.__qualname__, kind.__module__, kind.__doc__),
        socket.closed,
        socket.copy_threshold,
        bool(socket),
        hash(socket) == hash(socket),
        socket == bench.peer,
        sorted(name for name in vars(socket) if not name.startswith("_hopwatch")),
        sorted(name for name in dir(socket) if not name.startswith("_hopwatch")),
        isinstance(socket, zmq.Socket),
        bench.without_places(repr(socket.context)),
    )


def file_number(bench: Bench) -> Any:
    return bench.socket.fileno() == bench.socket.fd == bench.socket.FD


def address(bench: Bench) -> Any:
    return bench.socket.underlying == bench.socket.underlying, type(bench.socket.underlying)


def copied(bench: Bench, how: str) -> Any:
    """Another object for the same socket, which does not close it."""
    made = {
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "shadow": lambda socket: type(socket).shadow(socket.underlying),
        "Socket": zmq.Socket,
        "pickle": lambda socket: pickle.loads(pickle.dumps(socket)),  # noqa: S301 -- its own
    }[how](bench.socket)
    said = (
        bench.without_places(repr(made)),
        made.closed,
        made.type,
        made.underlying == bench.socket.underlying,
    )
    made.sndtimeo = 77
    told = said, made.linger, made.sndtimeo, bench.socket.sndtimeo
    del made
    gc.collect()
    return told, bench.socket.closed


def another(bench: Bench) -> Any:
    """Another socket of the same class."""
    with type(bench.socket)(bench.socket.context, bench.socket.type) as made:
        made.linger = 3
        return bench.without_places(repr(made)), made.linger, made.underlying == bench.socket.underlying


def monitor(bench: Bench, address: Any, events: Any) -> Any:
    """An application's own monitor, with somebody who reads it: else its socket waits for ever once it has something to tell."""
    number = str(len(bench.readers))  # libzmq gives an address free some time after its monitor has ended
    if isinstance(address, str):
        address = address.replace("N", number)
    if isinstance(address, bytes):
        address = address.replace(b"N", number.encode())
    came = bench.socket.monitor(address, events)
    if address is not None:
        bench.readers.append(bench.socket.context.socket(zmq.PAIR))
        bench.readers[-1].connect(address)
    return came


def monitor_socket(bench: Bench, events: Any) -> Any:
    first = bench.socket.get_monitor_socket(events)
    again = bench.socket.get_monitor_socket(events)
    bench.readers += [first, again]
    return bench.without_places(repr(first)), first is again


def disable_monitor(bench: Bench) -> Any:
    return bench.socket.disable_monitor()


def entered(bench: Bench, fails: bool) -> Any:
    with contextlib.suppress(KeyError), bench.socket as given:
        told = given is bench.socket
        if fails:
            raise KeyError
        return told
    return bench.socket.closed


def close(bench: Bench, *linger: Any) -> Any:
    return bench.socket.close(*linger), bench.socket.closed


def group(bench: Bench, how: str, name: Any) -> Any:
    return getattr(bench.socket, how)(name)


SET_UP_ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action
    for action in (
        set_option,
        get_option,
        set_attribute,
        get_attribute,
        delete_attribute,
        set_string,
        get_string,
        subscribe,
        endpoint,
        endpoint_by_name,
        endpoint_for_a_while,
        peer_endpoint,
        random_port,
        tells,
        file_number,
        address,
        copied,
        another,
        monitor,
        monitor_socket,
        disable_monitor,
        entered,
        close,
        group,
    )
}
