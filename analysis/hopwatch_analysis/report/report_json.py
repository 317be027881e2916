"""report.json: the fixed shape that others build on, and a few keys more."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from hopwatch_judge import Incident, advice, evidence

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.report.records import Analysis, Fault, Hop, LedgerRow, Node, Unchecked
from hopwatch_analysis.report.remarks import agreement, behind_remark, remark, what_to_do
from hopwatch_analysis.terms.buckets import HopHistory, Timeline

Json = dict[str, Any]


def report(analysis: Analysis, incidents: Iterable[Incident]) -> Json:
    """The report as JSON values; times are ISO 8601 in UTC. Incidents are an iterator: there is no bound to how many there are."""
    return {
        "window": {"from": _time(analysis.began_at), "to": _time(analysis.ended_at)},
        "hops": [_hop(hop) for hop in analysis.hops],
        "ledger": [_ledger_row(row) for row in analysis.ledger],
        "incidents": map(_incident, incidents),
        "findings": [
            {"socket": found.socket, "rule": found.rule, "text": found.text, "advice": found.advice}
            for found in analysis.findings
        ],
        "not_checked": [_unchecked(row) for row in analysis.unchecked],
        "agreed_by_count": [_agreed(row) for row in analysis.agreed],
        "skipped_files": [{"file": file, "reason": reason} for file, reason in analysis.skipped],
        "contradictions": [asdict(each) for each in analysis.contradictions],
        "faults": [_fault(fault) for fault in analysis.faults],
        "fault_count": analysis.fault_count,
        "events_lost": [
            {
                "host": lost.host,
                "process": lost.process,
                "command": lost.command,
                "events": lost.events,
                "unreadable": lost.unreadable,
            }
            for lost in analysis.lost_events
        ],
        "hosts_behind": [
            {
                "host": host.host,
                "newest_event": _time(host.heard_until),
                "behind_by_ms": round(host.seconds * 1000),
                "text": behind_remark(host),
            }
            for host in analysis.behind
        ],
        "clocks": [
            {"host": host, "ahead_by_ms": round(seconds * 1000)} for host, seconds in analysis.clocks.items()
        ],
        "timeline": _timeline(analysis.timeline) if analysis.timeline else None,
    }


def write_report(content: Json, folder: Path) -> Path:
    """Write report.json. Raises AnalysisError if the folder cannot be written."""
    return _write(folder / "report.json", _pieces(content))


def read_report(folder: Path) -> Json:
    """What ``write_report`` has written there."""
    content: Json = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return content


def write_page(text: str, folder: Path) -> Path:
    """Write report.html. Raises AnalysisError if the folder cannot be written."""
    return _write(folder / "report.html", [text])


def _pieces(content: Json) -> Iterator[str]:
    """The text of an object: of each value that is an iterator, an item at a time."""
    before = "{\n"
    for name, value in content.items():
        yield f"{before}  {json.dumps(name)}: "
        yield from _items(value) if isinstance(value, Iterator) else [_indented(value, 1)]
        before = ",\n"
    yield "\n}\n"


def _items(items: Iterator[Json]) -> Iterator[str]:
    before = "["
    for item in items:
        yield f"{before}\n    {_indented(item, 2)}"
        before = ","
    yield "[]" if before == "[" else "\n  ]"


def _indented(value: Any, levels: int) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n" + "  " * levels)


def _write(path: Path, pieces: Iterable[str]) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.new")  # whoever reads the one before has it whole
        try:
            aside.unlink(missing_ok=True)
            with aside.open("x", encoding="utf-8") as file:
                file.writelines(pieces)
            aside.replace(path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise AnalysisError(f"cannot write {path}: {error}") from error
    return path


def _hop(hop: Hop) -> Json:
    return {
        "hop": hop.label,
        "from": _node(hop.sender),
        "to": _node(hop.receiver),
        "transport": hop.transport,
        "sent": hop.sent,
        "delivered": hop.delivered,
        "lost": hop.lost,
        "in_flight": hop.in_flight,
        "unexplained": hop.unexplained,
    }


def _node(node: Node) -> Json:
    return {
        "host": node.host,
        "process": node.process,
        "socket": node.socket,
        "name": node.name,
        "type": node.type,
        **({"place": asdict(node.place)} if node.place else {}),
    }


def _ledger_row(row: LedgerRow) -> Json:
    return {
        "stream": row.stream,
        "name": row.name,
        "receiver": row.receiver,
        "receiver_name": row.receiver_name,
        "sent": row.sent,
        "delivered": row.delivered,
        "lost": row.lost,
        "in_flight": row.in_flight,
        "unexplained": row.unexplained,
        "causes": dict(row.causes),
    }


def _unchecked(row: Unchecked) -> Json:
    return {
        "reason": row.reason,
        "stream": row.stream,
        "name": row.name,
        "receiver": row.receiver,
        "receiver_name": row.receiver_name,
        "sent": row.sent,
        "received": row.received,
        "missing_at_most": row.missing_at_most,
        "received_by_all": row.received_by_all,
        "text": remark(row),
        "advice": what_to_do(row),
    }


def _agreed(row: Unchecked) -> Json:
    return {
        "stream": row.stream,
        "name": row.name,
        "receiver": row.receiver,
        "receiver_name": row.receiver_name,
        "sent": row.sent,
        "received": row.received,
        "agreed_on": row.agreed_on,
        "text": agreement(row),
    }


def _incident(incident: Incident) -> Json:
    return {
        "hop": incident.hop,
        "cause": incident.cause,
        "certainty": "exact" if incident.exact else "inferred",
        "started_at": _time(incident.started_at),
        "ended_at": _time(incident.ended_at),
        "lost": incident.lost,
        "streams": list(incident.streams),
        "evidence": evidence(incident),
        "advice": advice(incident),
    }


def _fault(fault: Fault) -> Json:
    return {
        "at": _time(fault.at),
        "host": fault.host,
        "process": fault.process,
        "socket": fault.socket,
        "text": fault.text,
    }


def _timeline(timeline: Timeline) -> Json:
    """Each list has one number a bucket."""
    return {
        "from": _time(timeline.buckets.begins_at),
        "to": _time(timeline.buckets.ends_at),
        "bucket_seconds": timeline.buckets.seconds,
        "hops_left_out": timeline.hops_left_out,
        "hops": [_history(history) for history in timeline.hops],
    }


def _history(history: HopHistory) -> Json:
    return {
        "hop": history.hop,
        "lost": list(history.lost),
        "onsets": list(history.onsets),
        "reconnects": list(history.reconnects),
        "sent": None if history.sent is None else list(history.sent),
        "received": None if history.received is None else list(history.received),
        "lost_at_other_times": history.lost_at_other_times,
    }


def _time(value: datetime | None) -> str | None:
    if value is None:
        return None
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
