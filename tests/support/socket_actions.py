"""What an application can do to a socket, each as a function of the socket's hands; what it gives is all that the application could see of it."""

import array
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import zmq

PATIENT_S = 10.0


@dataclass
class Hand:
    """A socket, and what the application has kept of it."""

    socket: zmq.Socket
    frames: list[zmq.Frame] = field(default_factory=list)
    trackers: list[Any] = field(default_factory=list)


def made(recipe: tuple[str, Any]) -> Any:
    """A message frame, or something that is none, made anew for each socket that it is sent on; of its content, the size may be told."""
    kind, content = recipe
    if isinstance(content, int) and kind != "as is":
        content = b"y" * content
    return MAKERS[kind](content)


def strided(content: bytes) -> memoryview:
    return memoryview(bytes(byte for byte in content for _ in range(2)))[::2]


def table(content: bytes) -> memoryview:
    return memoryview(content + content).cast("B", (2, len(content))) if content else memoryview(b"")


MAKERS: dict[str, Callable[[Any], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview": memoryview,
    "strided": strided,
    "table": table,
    "array": lambda content: array.array("H", list(content)),
    "frame": lambda content: zmq.Frame(content, track=False),
    "tracked": lambda content: zmq.Frame(content, track=True, copy=False),
    "as is": lambda content: content,
}


def seen(value: Any) -> Any:
    """What an application can see of something that pyzmq gave it."""
    if isinstance(value, zmq.Frame):
        properties = [seen_of_property(value, name) for name in ("more", "group", "routing_id", "fd")]
        return "frame", value.bytes, bytes(value.buffer), len(value), value.tracker is not None, properties
    if isinstance(value, zmq.MessageTracker):
        return "tracker", type(value).__name__
    if isinstance(value, list | tuple):
        return [seen(each) for each in value]
    if isinstance(value, bytes | int | str | float | None):
        return type(value).__name__, value
    return type(value).__name__, None


def seen_of_property(value: Any, name: str) -> Any:
    """What an attribute is, or what comes of asking for it."""
    try:
        return getattr(value, name)
    except Exception as error:  # noqa: BLE001 -- whatever a bare one raises, a wrapped one must raise
        return seen_of_error(error)


def seen_of_error(error: BaseException) -> Any:
    """Type, errno and text; where two sockets differ by right in the text, addresses and ports are left out of it."""
    text = re.sub(r"\b0x[0-9a-f]+", "0x", str(error))
    return "raised", type(error), getattr(error, "errno", None), "" if is_of_signature(text) else text


def is_of_signature(text: str) -> bool:
    """Whether an error's text is Python's own, of arguments that a function does not have: it names the function."""
    return "argument" in text and "()" in text


def kept(hand: Hand, tracker: Any) -> Any:
    if isinstance(tracker, zmq.MessageTracker):
        hand.trackers.append(tracker)
    return seen(tracker)


def send(hand: Hand, recipe: Any, flags: Any, copy: bool, track: bool) -> Any:
    return kept(hand, hand.socket.send(made(recipe), flags, copy, track))


def send_named(hand: Hand, recipe: Any, options: dict[str, Any]) -> Any:
    return kept(hand, hand.socket.send(data=made(recipe), **options))


def send_again(hand: Hand, flags: Any, copy: bool, track: bool) -> Any:
    """A frame that was received, or was sent before."""
    frame = hand.frames[-1] if hand.frames else zmq.Frame(b"kept")
    hand.frames.append(frame)
    return kept(hand, hand.socket.send(frame, flags, copy, track)), frame.bytes


def send_multipart(hand: Hand, recipes: list[Any], flags: Any, copy: bool, track: bool) -> Any:
    return kept(hand, hand.socket.send_multipart([made(each) for each in recipes], flags, copy, track))


def send_as(hand: Hand, how: str, flags: Any) -> Any:
    if how == "serialized":
        return seen(hand.socket.send_serialized("abc", lambda text: [text.encode(), b"z"], flags))
    given = {"string": "grüße", "json": {"a": [1, None]}, "pyobj": (1, b"x")}[how]
    return seen(getattr(hand.socket, f"send_{how}")(given, flags))


def recv(hand: Hand, flags: Any, copy: bool, track: bool) -> Any:
    frame = hand.socket.recv(flags, copy, track)
    if isinstance(frame, zmq.Frame):
        hand.frames.append(frame)
    return seen(frame), hand.socket.closed or hand.socket.rcvmore


def recv_blindly(hand: Hand, flags: Any, copy: bool) -> Any:
    """Without asking whether more frames follow."""
    return seen(hand.socket.recv(flags=flags, copy=copy))


def recv_multipart(hand: Hand, flags: Any, copy: bool, track: bool) -> Any:
    frames = hand.socket.recv_multipart(flags, copy, track)
    hand.frames += [frame for frame in frames if isinstance(frame, zmq.Frame)]
    return seen(frames)


def recv_as(hand: Hand, how: str, flags: Any) -> Any:
    if how == "serialized":
        return seen(hand.socket.recv_serialized(lambda frames: [bytes(frame) for frame in frames], flags))
    return repr(getattr(hand.socket, f"recv_{how}")(flags))


def recv_into(hand: Hand, kind: str, size: int, nbytes: Any, flags: Any) -> Any:
    memory = bytearray(size)
    buffer: Any = memory
    if kind == "readonly":
        buffer = bytes(size)
    elif kind == "strided":
        buffer = memoryview(memory)[::2]
    elif kind == "words":
        buffer = array.array("H", [0] * size)
    elif kind == "table" and size:
        memory = bytearray(2 * size)
        buffer = memoryview(memory).cast("B", (2, size))
    elif kind == "no buffer":
        buffer = "text"
    count = hand.socket.recv_into(buffer, nbytes=nbytes, flags=flags)
    return count, bytes(memory), bytes(buffer)


def poll(hand: Hand, timeout: Any, flags: Any) -> Any:
    return seen(hand.socket.poll(timeout, flags))


def poller(hand: Hand, flags: int) -> Any:
    poller = zmq.Poller()
    poller.register(hand.socket, flags)
    return [events for _, events in poller.poll(0)]


def select(hand: Hand) -> Any:
    return [len(ready) for ready in zmq.select([hand.socket], [hand.socket], [hand.socket], 0)]


def trackers(hand: Hand) -> Any:
    return [tracker.done for tracker in hand.trackers]


def state(hand: Hand) -> Any:
    """What a socket says of itself."""
    socket = hand.socket
    said = re.sub(r"0x[0-9a-f]+", "0x", repr(socket))
    return said, socket.closed, type(socket).__name__, type(socket).__module__, socket.copy_threshold


def option(hand: Hand, how: str, name: str) -> Any:
    if how == "attribute":
        value = getattr(hand.socket, name.lower())
    else:
        value = getattr(hand.socket, how)(getattr(zmq, name))
    if name == "FD" and isinstance(value, int):
        return math.copysign(1, value)
    if name == "LAST_ENDPOINT":
        return re.sub(rb"\d+|/.*", b"", value if isinstance(value, bytes) else value.encode())
    return seen(value)


def set_option(hand: Hand, how: str, name: str, value: Any) -> Any:
    if how == "attribute":
        setattr(hand.socket, name.lower(), value)
        return None
    return getattr(hand.socket, how)(getattr(zmq, name), value)


def attribute(hand: Hand, name: str) -> Any:
    return seen(getattr(hand.socket, name))


def set_attribute(hand: Hand, name: str, value: Any) -> Any:
    setattr(hand.socket, name, value)
    return seen(getattr(hand.socket, name))


def call(hand: Hand, name: str, *arguments: Any) -> Any:
    return seen(getattr(hand.socket, name)(*arguments))


def endpoint(hand: Hand, what: str, address: Any) -> Any:
    return type(getattr(hand.socket, what)(address)).__name__


def endpoint_for_a_while(hand: Hand, what: str, address: Any) -> Any:
    with getattr(hand.socket, what)(address) as socket:
        return socket is hand.socket


def close(hand: Hand, *linger: Any) -> Any:
    return hand.socket.close(*linger), hand.socket.closed


ACTIONS: dict[str, Callable[..., Any]] = {
    action.__name__: action
    for action in (
        send,
        send_named,
        send_again,
        send_multipart,
        send_as,
        recv,
        recv_blindly,
        recv_multipart,
        recv_as,
        recv_into,
        poll,
        poller,
        select,
        trackers,
        state,
        option,
        set_option,
        attribute,
        set_attribute,
        call,
        endpoint,
        endpoint_for_a_while,
        close,
    )
}

ASKING = {"poll", "poller", "select", "trackers", "option", "attribute"}
"""Actions that change nothing, and can be repeated."""
