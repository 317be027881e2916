"""Series: sockets that are told of as one, because all that may tell them apart in metrics is equal."""

import re
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.state import ProcessState, SocketState, TotalState
from hopwatch_agent.records import INT64_MAX

OTHER = ""
"""The series of all sockets that there was no room for."""
TEXT_LIMIT = 100
_INTERPRETER = re.compile(r"python(\d+(\.\d+)?t?)?")
_TAKES_A_VALUE = frozenset({"-W", "-X"})
_ADDED = tuple(name not in {"pending_sends", "proxied_at"} for name in COUNTERS)


class Series(NamedTuple):
    """What sockets have in common. Nothing of it changes while a socket lives, and no id is in it.

    ``name`` is empty for sockets that nobody named: the instrumentation then makes one of type and id. ``container`` is the
    application's, and empty where no pod's specification tells it.
    """

    host: str
    program: str
    name: str
    type: str
    container: str = ""


def series_of(socket: SocketState, process: ProcessState) -> str:
    """The series of a socket of this process, as one text. A container that is not known is no part of it."""
    parts = parts_for(process, socket)
    return msgspec.json.encode(parts if parts.container else parts[:-1]).decode()


def parts_of(series: str) -> Series | None:
    """What a series' text says; None for ``OTHER``."""
    return None if series == OTHER else Series(*msgspec.json.decode(series, type=list[str]))


def parts_for(process: ProcessState, socket: SocketState | None = None) -> Series:
    """What is told of a process, and of a socket of it: all that may be in an attribute."""
    container = "" if process.place is None else process.place.container or ""
    name, kind = ("", "") if socket is None else (_name_of(socket), socket.type)
    parts = (process.host, program_of(process.command), name, kind, container)
    return Series(*(_told(part) for part in parts))


def _name_of(socket: SocketState) -> str:
    derived = f"{socket.type.lower()}-{socket.socket[:6]}"
    return "" if socket.name == derived else socket.name


def program_of(command: str) -> str:
    """The program's name without its arguments: ``app.py``, ``uvicorn``, or a module after ``-m``."""
    words = iter(command.split())
    first = PurePath(next(words, "")).name
    if not _INTERPRETER.fullmatch(first):
        return first
    for word in words:
        if word == "-m":
            return next(words, first)
        if word == "-c":
            break
        if word in _TAKES_A_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return PurePath(word).name
    return first


def with_socket(total: TotalState, socket: SocketState) -> TotalState:
    """The total of a series and one more of its sockets; where a sum would not fit 63 bits, it stays there."""
    counters = (
        min(before + more, INT64_MAX) if added else 0
        for before, more, added in zip(total.counters, socket.counters, _ADDED, strict=True)
    )
    connections = (
        min(before + more, INT64_MAX)
        for before, more in zip(total.connections, socket.connections, strict=True)
    )
    return msgspec.structs.replace(total, counters=tuple(counters), connections=tuple(connections))


def _told(text: str) -> str:
    """What a journal says is not trusted."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:TEXT_LIMIT])
