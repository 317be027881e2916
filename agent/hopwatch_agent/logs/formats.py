"""Log records as lines. What they tell of is not trusted: it may hold line ends, and whatever a terminal obeys."""

import json
import logging
from collections.abc import Mapping
from datetime import datetime, timezone

from hopwatch_agent.logs.events import EVENT_FIELDS

LONGEST_TEXT = 1000
_LONGEST_TRACEBACK = 10_000
_OF_A_LIBRARY = "log"


class JsonFormat(logging.Formatter):
    """One JSON object a line, in ASCII: ``time``, ``level``, ``event``, then the event's fields.

    What a library logs is the event ``log``, with ``logger`` and ``text``.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        known = {"time": time_of(record), "level": record.levelname.lower(), "event": event_of(record)}
        fields = {name: _bounded(value) for name, value in fields_of(record).items() if name not in known}
        trace = {"traceback": traceback} if (traceback := traceback_of(record)) else {}
        return json.dumps({**known, **fields, **trace}, default=lambda value: str(value)[:LONGEST_TEXT])


class TextFormat(logging.Formatter):
    """For people: ``hopwatch agent: 12:00:01 warning: fault text=...``."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        clock = datetime.fromtimestamp(record.created, timezone.utc).strftime("%H:%M:%S")
        level, event = record.levelname.lower(), event_of(record)
        fields = "".join(f" {name}={on_one_line(str(value))}" for name, value in fields_of(record).items())
        traceback = "".join(f"\n  {on_one_line(line)}" for line in traceback_of(record).splitlines())
        return f"hopwatch agent: {clock} {level}: {event}{fields}{traceback}"


def event_of(record: logging.LogRecord) -> str:
    """The event's name."""
    return str(record.msg) if hasattr(record, EVENT_FIELDS) else _OF_A_LIBRARY


def fields_of(record: logging.LogRecord) -> dict[str, object]:
    """The event's fields."""
    given: Mapping[str, object] | None = getattr(record, EVENT_FIELDS, None)
    return {"logger": record.name, "text": record.getMessage()} if given is None else dict(given)


def traceback_of(record: logging.LogRecord) -> str:
    """The end of the traceback; empty if there is none."""
    if not record.exc_info:
        return ""
    return logging.Formatter().formatException(record.exc_info)[-_LONGEST_TRACEBACK:]


def time_of(record: logging.LogRecord) -> str:
    """When it was, in UTC."""
    return datetime.fromtimestamp(record.created, timezone.utc).isoformat(timespec="milliseconds")


def on_one_line(text: str) -> str:
    """The text with nothing in it that is not printed."""
    return "".join(sign if sign.isprintable() else "?" for sign in text[:LONGEST_TEXT])


def _bounded(value: object) -> object:
    return value[:LONGEST_TEXT] if isinstance(value, str) else value
