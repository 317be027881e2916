"""Happenings as OpenTelemetry log records, which have an event name."""

import time
from collections.abc import Callable, Mapping

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from hopwatch_agent.live.series import parts_for
from hopwatch_agent.telemetry.attributes import HOST, NAME, attributes_of
from hopwatch_agent.telemetry.log_events import FAULT, FINDING, LOSS, ONSET, RECONNECT, UNROUTABLE, Happening

SCOPE = InstrumentationScope("hopwatch_agent")
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    LOSS: ("stream", "lane", "first", "last"),
    ONSET: ("number", "lane", "lane_number"),
    UNROUTABLE: ("reason", "peer"),
    RECONNECT: ("endpoint", "local", "remote"),
    FINDING: ("rule", "text", "advice"),
    FAULT: ("text",),
}
"""The columns that are told, of the newest row."""
_TEXTS: Mapping[str, Callable[[Happening], str]] = {
    LOSS: lambda told: (
        f"{_many(told.messages, 'message')} lost on the way to {_name(told)}, in {_many(told.times, 'gap')}"
    ),
    ONSET: lambda told: (
        f"{_name(told)} met a full pipe {_many(told.times, 'time')}: it dropped messages from there on"
    ),
    UNROUTABLE: lambda told: f"{_name(told)} had no peer for {_many(told.messages, 'message')}",
    RECONNECT: lambda told: (
        f"{_name(told)} was connected again to {told.values['endpoint']}, {_many(told.times, 'time')}"
    ),
    FINDING: lambda told: f"{_name(told)}: {told.values['text']}",
    FAULT: lambda told: str(told.values["text"]),
}


def record_of(told: Happening, resource: Resource) -> ReadableLogRecord:
    """One record."""
    severity = SeverityNumber.INFO if told.event == RECONNECT else SeverityNumber.WARN
    record = LogRecord(
        timestamp=told.last_at,
        observed_timestamp=time.time_ns(),
        severity_number=severity,
        severity_text=severity.name,
        body=_TEXTS[told.event](told),
        attributes=_attributes(told),
        event_name=told.event,
    )
    return ReadableLogRecord(record, resource, SCOPE)


def _attributes(told: Happening) -> dict[str, str | int | bool]:
    attributes: dict[str, str | int | bool] = {
        HOST: told.host,
        "hopwatch.times": told.times,
        "hopwatch.first_at": told.first_at,
    }
    if told.process is not None:
        attributes |= attributes_of(parts_for(told.process, told.socket))
    if told.socket is not None:
        # an event is no series: here ids do no harm
        attributes |= {"hopwatch.socket.id": told.socket.socket, NAME: told.socket.name}
    if told.event in {LOSS, UNROUTABLE}:
        attributes["hopwatch.messages"] = told.messages
    for column in _COLUMNS[told.event]:
        value = told.values.get(column)
        if isinstance(value, str | int):
            attributes[f"{told.event}.{column}"] = value
    return attributes


def _name(told: Happening) -> str:
    return "" if told.socket is None else f"{told.socket.name} ({told.socket.type})"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
