"""Incidents that real analyses found, as the verdict of today's code tells them."""

import json
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any

from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.verdict import verdict
from hopwatch_judge import Incident, KilledForMemory, Place

RECORDED = Path(__file__).parent.parent / "docs" / "incidents"
"""Written by tests/support/record_incidents.py, which says how."""
TIMES = {"started_at", "ended_at", "took_over_at"}
PARTS = {
    "sender_killed": KilledForMemory,
    "receiver_killed": KilledForMemory,
    "sender_place": Place,
    "receiver_place": Place,
}


def recorded() -> list[Incident]:
    """All of them."""
    return [_incident(json.loads(path.read_text())) for path in sorted(RECORDED.glob("*.json"))]


def told(incident: Incident) -> str:
    """What ``hopwatch analyze`` prints of it."""
    alone = Analysis(None, None, (), (), (incident,), ())
    return verdict(alone).split("\n\n")[1]


def _incident(record: dict[str, Any]) -> Incident:
    known = {field.name for field in fields(Incident)}
    assert set(record) <= known, f"keys that no incident has any more: {set(record) - known}"
    return Incident(**{name: _value(name, value) for name, value in record.items()})


def _value(name: str, value: Any) -> Any:
    if name in TIMES:
        return datetime.fromisoformat(value)
    if name in PARTS:
        return PARTS[name](**value)
    return tuple(value) if isinstance(value, list) else value
