"""What an event says, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from hopwatch_console.records import Event
from hopwatch_console.words import counted, number

SHOWN_VALUES = 6


def event_words(event: Event, names: Mapping[str, str]) -> str:
    """One line; of kinds that are not known here, the values themselves. ``names``: of sockets, by id."""
    words = _WORDS.get(event.kind)
    if words is not None:
        return words(event.values, names)
    told = [
        f"{name} {value}" for name, value in event.values.items() if value is not None and name != "socket"
    ]
    return ", ".join(told[:SHOWN_VALUES])


def _count(value: object) -> str:
    return number(value) if isinstance(value, int) else "?"


def _stream(values: Mapping[str, Any], names: Mapping[str, str]) -> str:
    stream = str(values.get("stream"))
    return names.get(stream, f"stream {stream}")


def _gap(values: Mapping[str, Any], names: Mapping[str, str]) -> str:
    first, last = _count(values.get("first")), _count(values.get("last"))
    action = values.get("action")
    if action == "late":
        return f"number {first} of {_stream(values, names)} came late"
    if action == "skipped":
        return f"numbers {first} to {last} of {_stream(values, names)} are not checked"
    lost = values.get("lost")
    many = counted(lost, "message") if isinstance(lost, int) else "messages"
    return (
        f"misses {many} of {_stream(values, names)}: numbers {first} to {last} of lane {values.get('lane')}"
    )


def _onset(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    return f"met a full pipe at its message {_count(values.get('number'))}"


def _unroutable(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    many = values.get("messages")
    return f"{counted(many, 'message') if isinstance(many, int) else 'messages'} unroutable: {values.get('reason')}"


def _connection(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    reason = f": {values['reason']}" if values.get("reason") else ""
    return f"{values.get('action')} {values.get('remote') or values.get('endpoint') or ''}{reason}"


def _socket(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    return f"{values.get('state')}"


def _process(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    pid = "" if values.get("pid") is None else f": pid {values['pid']}"
    return f"process {values.get('state')}{pid} {values.get('command') or ''}".rstrip()


def _finding(values: Mapping[str, Any], _names: Mapping[str, str]) -> str:
    return str(values.get("text"))


_WORDS: dict[str, Callable[[Mapping[str, Any], Mapping[str, str]], str]] = {
    "connection": _connection,
    "finding": _finding,
    "gap": _gap,
    "onset": _onset,
    "process": _process,
    "socket": _socket,
    "unroutable": _unroutable,
}
