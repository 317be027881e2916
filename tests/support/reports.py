"""report.json as analyses write it, as small as a test wants it."""

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

COUNTS = {"sent": 100, "delivered": 90, "lost": 10, "in_flight": 0, "unexplained": 0}


def at(moment: datetime) -> str:
    return moment.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def now(seconds: float = 0) -> datetime:
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)


def end(name: str, socket: str, kind: str) -> dict[str, Any]:
    return {"host": "web-1", "process": "00000000000000ff", "socket": socket, "name": name, "type": kind}


def incident(hop: str, stream: str, started: datetime, ended: datetime, **changed: Any) -> dict[str, Any]:
    return {
        "hop": hop,
        "cause": "slow_receiver",
        "certainty": "inferred",
        "started_at": at(started),
        "ended_at": at(ended),
        "lost": 10,
        "streams": [stream],
        "evidence": [{"kind": "rates", "text": "it reads more slowly than it is sent", "sent": 1600}],
        "advice": ["Make it faster."],
        **changed,
    }


def report(began: datetime, ended: datetime, **parts: Any) -> dict[str, Any]:
    """``parts``: hops, ledger, incidents, and whatever else."""
    window = {"from": at(began), "to": at(ended)}
    return {"window": window, "hops": [], "ledger": [], "incidents": [], "findings": [], **parts}


def hop(sender: dict[str, Any], receiver: dict[str, Any]) -> dict[str, Any]:
    label = f"{sender['name']} → {receiver['name']}"
    return {"hop": label, "from": sender, "to": receiver, "transport": "tcp", **COUNTS}


def entry(stream: str, receiver: str | None, **counts: int) -> dict[str, Any]:
    names = {"name": "sender", "receiver_name": "receiver"}
    return {"stream": stream, "receiver": receiver, **names, **COUNTS, **counts, "causes": {}}


def write(folder: Path, content: Any) -> None:
    """As an analysis does it: whoever reads the one before has it whole."""
    folder.mkdir(exist_ok=True)
    aside = folder / ".report.json.new"
    aside.write_text(content if isinstance(content, str) else json.dumps(content, indent=2))
    aside.replace(folder / "report.json")
