"""An incident for the judge's tests to change the facts of."""

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from hopwatch_judge import Incident, advice

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
BURST = Incident(
    sender="feed",
    receiver="desk",
    sender_type="PUB",
    receiver_type="SUB",
    sender_end="open",
    receiver_end="open",
    cause="hwm_too_low",
    exact=False,
    started_at=NOON,
    ended_at=NOON,
    lost=3000,
    runs=18,
    longest=180,
    onsets=1,
    streams=("a1",),
    stream_labels=("feed",),
    transport="tcp",
    sndhwm=100,
    rcvhwm=50,
    mean_rate=500.0,
    asked_rate=800.0,
    capacity=1000.0,
    largest_burst=2400,
    mean_bytes=1000.0,
)
UNMEASURED: dict[str, Any] = {"mean_rate": None, "asked_rate": None, "capacity": None, "mean_bytes": None}


def advised(**facts: Any) -> str:
    """What is advised on it, with other facts."""
    return " ".join(advice(replace(BURST, **facts)))
