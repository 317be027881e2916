"""The shape of report.json that others build on: each key with its type, whatever the report tells of."""

import re
from datetime import datetime
from typing import Any

OR_NOT_KNOWN = (str, type(None))
"""Of a peer that was never there, for one, or that no agent tells of."""
END = {
    "host": OR_NOT_KNOWN,
    "process": OR_NOT_KNOWN,
    "socket": OR_NOT_KNOWN,
    "name": str,
    "type": OR_NOT_KNOWN,
}
COUNTS = dict.fromkeys(("sent", "delivered", "lost", "in_flight", "unexplained"), int)
CAUSES = frozenset(
    [
        "slow_receiver",
        "hwm_too_low",
        "network",
        "reconnect",
        "slow_joiner",
        "closed",
        "receiver_died",
        "sender_died",
        "unroutable",
        "conflated",
        "oversize",
    ]
)
SHAPE: dict[str, Any] = {
    "window": {"from": datetime, "to": datetime},
    "hops": [{"hop": str, "from": END, "to": END, "transport": str, **COUNTS}],
    "ledger": [{"stream": str, "name": str, **COUNTS}],
    "incidents": [
        {
            "hop": str,
            "cause": CAUSES,
            "certainty": frozenset({"exact", "inferred"}),
            "started_at": datetime,
            "ended_at": datetime,
            "lost": int,
            "streams": [str],
            "evidence": [{"kind": str, "text": str}],
            "advice": [str],
        }
    ],
    "findings": [{"socket": str, "rule": str, "text": str, "advice": str}],
}


def misshapen(told: Any, shape: Any = SHAPE, at: str = "report") -> list[str]:
    """What does not fit, each by its place; beside the keys of the shape there may be more."""
    if isinstance(shape, dict):
        missing = [f"{at}.{name} is not there" for name in shape if name not in told]
        known = (name for name in shape if name in told)
        return missing + [
            text for name in known for text in misshapen(told[name], shape[name], f"{at}.{name}")
        ]
    if isinstance(shape, list):
        if not isinstance(told, list):
            return [f"{at} is {told!r}"]
        return [text for place, row in enumerate(told) for text in misshapen(row, shape[0], f"{at}[{place}]")]
    return [] if _fits(told, shape) else [f"{at} is {told!r}"]


def _fits(told: Any, shape: Any) -> bool:
    if isinstance(shape, frozenset):
        return told in shape
    if shape is datetime:
        return isinstance(told, str) and told.endswith("Z") and bool(datetime.fromisoformat(told[:-1]))
    return type(told) in (shape if isinstance(shape, tuple) else (shape,))


def nonsense(report: dict[str, Any]) -> list[str]:
    """Sentences with a figure that says nothing, or that nobody filled in."""
    rows = [*report["incidents"], *report["findings"]]
    texts = [text for row in rows for text in _texts(row)]
    return [text for text in texts if re.search(r"\b(None|nan|inf|0 times|null)\b", text)]


def _texts(told: Any) -> list[str]:
    if isinstance(told, dict):
        return [text for each in told.values() for text in _texts(each)]
    if isinstance(told, list):
        return [text for each in told for text in _texts(each)]
    return [told] if isinstance(told, str) else []


def fractions(told: Any, at: str = "report") -> list[str]:
    """Numbers that are no integers, each by its place."""
    if isinstance(told, dict):
        return [text for name, each in told.items() for text in fractions(each, f"{at}.{name}")]
    if isinstance(told, list):
        return [text for place, each in enumerate(told) for text in fractions(each, f"{at}[{place}]")]
    return [f"{at} is {told!r}"] if isinstance(told, float) else []
