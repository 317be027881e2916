"""The result tables as records: those that grow with the sockets whole, of those that grow with what happened the first ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timezone

from hopwatch_judge import Incident, Place
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from hopwatch_analysis.files.contradictions import SetAside
from hopwatch_analysis.files.landed import Landed
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.report.histories import collected, hop_key
from hopwatch_analysis.report.incident_rows import called, ends_of, records, worst_first
from hopwatch_analysis.report.labels import Identity, labels, places
from hopwatch_analysis.report.records import (
    Analysis,
    Fault,
    Finding,
    Hop,
    HostBehind,
    LedgerRow,
    LostEvents,
    Node,
    Unchecked,
)
from hopwatch_analysis.topology import Scope

FAULTS_REPORTED = 100
INCIDENTS_KEPT = 1000
"""More than verdict and page tell of."""

TERMS = ("sent", "delivered", "lost", "in_flight", "unexplained")


def summarize(
    results: Tables, known: Mapping[str, Identity], landed: Landed, scope: Scope
) -> tuple[Analysis, Iterator[Incident]]:
    """Hops, ledger, incidents and findings, worst first; then all incidents, to be gone through once while the session lasts."""
    hops = results["hops"].orderBy(sf.desc("lost"), "from_node_name", "to_node_name").collect()
    ledger = results["ledger"].orderBy("name", "receiver_name", "stream", "receiver").collect()
    findings = _finding_rows(results["findings"])
    faults = results["faults"].orderBy("at", "text").limit(FAULTS_REPORTED).collect()
    shown = _ids(hops, "from_node", "to_node") | _ids(ledger, "stream", "receiver")
    shown |= ends_of(results["incidents"]) | _ids(findings + faults, "socket")
    unchecked = sorted(results["unchecked"].collect(), key=_by_reason(known))
    agreed = sorted(results["agreed"].collect(), key=_by_reason(known))
    shown |= _ids(unchecked + agreed, "stream", "receiver")
    shown |= {identity.proxy for node, identity in known.items() if node in shown and identity.proxy}
    told = labels(identity for node, identity in known.items() if node in shown)
    placed = places(known.values())
    incidents = worst_first(results["incidents"])
    kept = tuple(records(incidents.limit(INCIDENTS_KEPT), told, placed))
    analysis = Analysis(
        began_at=scope.since or landed.earliest,
        ended_at=scope.ends_at,
        hops=tuple(_hop(row, told, placed) for row in hops),
        ledger=tuple(_ledger_row(row, told) for row in sorted(ledger, key=_by_age(known))),
        incidents=kept,
        more_incidents=results["incidents"].count() - len(kept),
        findings=tuple(_finding(row, told) for row in findings),
        unchecked=tuple(_unchecked(row, told) for row in unchecked),
        shared_with_strangers=frozenset(row["stream"] for row in results["shared_with_strangers"].collect()),
        agreed=tuple(_unchecked(row, told) for row in agreed),
        skipped=tuple((skipped.file, skipped.reason) for skipped in landed.skipped),
        contradictions=landed.set_aside + _contradictions(results["contradictions"]),
        faults=tuple(_fault(row, told) for row in faults),
        fault_count=results["faults"].count(),
        lost_events=_lost_events(results["lost_events"]),
        behind=_behind(results["hosts_behind"]),
        timeline=collected(
            results["timeline"], scope.buckets, {hop_key(row): _hop(row, told, placed) for row in hops}
        ),
    )
    return analysis, records(incidents, told, placed)


def _ids(rows: Iterable[Row], *columns: str) -> set[str]:
    return {row[column] for row in rows for column in columns if row[column]}


def _by_age(known: Mapping[str, Identity]) -> Callable[[Row], tuple[str, ...]]:
    """Of one name, the older one first."""

    def opened(node: str | None) -> str:
        identity = known.get(node or "")
        return identity.opened_at.isoformat() if identity and identity.opened_at else ""

    def key(row: Row) -> tuple[str, ...]:
        stream, receiver = row["stream"], row["receiver"]
        return (
            row["name"] or "",
            row["receiver_name"] or "",
            opened(stream),
            opened(receiver),
            stream or "",
            receiver or "",
        )

    return key


def _by_reason(known: Mapping[str, Identity]) -> Callable[[Row], tuple[str, ...]]:
    by_age = _by_age(known)
    return lambda row: (row["reason"], *by_age(row))


def _hop(row: Row, told: Mapping[str, str], placed: Mapping[str, Place]) -> Hop:
    return Hop(
        sender=_node(row, "from", told, placed),
        receiver=_node(row, "to", told, placed),
        transport=row["transport"] or "unknown",
        **{name: int(row[name]) for name in TERMS},
    )


def _node(row: Row, side: str, told: Mapping[str, str], placed: Mapping[str, Place]) -> Node:
    socket = row[f"{side}_socket"]
    name = row[f"{side}_node_name"] or called(socket)
    return Node(
        host=row[f"{side}_host"],
        process=row[f"{side}_process"],
        socket=socket,
        name=name,
        label=told.get(row[f"{side}_node"], name),
        type=row[f"{side}_node_type"],
        place=placed.get(row[f"{side}_node"]),
    )


def _ledger_row(row: Row, told: Mapping[str, str]) -> LedgerRow:
    name = row["name"] or called(row["stream"])
    return LedgerRow(
        stream=row["stream"],
        name=name,
        label=told.get(row["stream"], name),
        receiver=row["receiver"],
        receiver_name=row["receiver_name"],
        receiver_label=told.get(row["receiver"], row["receiver_name"]),
        causes=row["causes"] or {},
        **{name: int(row[name]) for name in TERMS},
    )


def _finding_rows(frame: DataFrame) -> list[Row]:
    distinct = frame.select("socket", "rule", "text", "advice").distinct()
    return distinct.orderBy("socket", "rule", "text").collect()


def _finding(row: Row, told: Mapping[str, str]) -> Finding:
    label = told.get(row["socket"], called(row["socket"]))
    return Finding(row["socket"], label, row["rule"], row["text"] or "", row["advice"] or "")


def _fault(row: Row, told: Mapping[str, str]) -> Fault:
    socket = row["socket"]
    label = told.get(socket, called(socket)) if socket else None
    return Fault(row["at"], row["host"], row["process"], socket, row["text"] or "", label)


def _contradictions(frame: DataFrame) -> tuple[SetAside, ...]:
    return tuple(SetAside(None, row["rule"], row["rows"], row["example"]) for row in frame.collect())


def _behind(frame: DataFrame) -> tuple[HostBehind, ...]:
    rows = frame.orderBy(sf.desc("seconds"), "host").collect()
    return tuple(
        HostBehind(row["host"], row["heard_until"].astimezone(timezone.utc), row["seconds"]) for row in rows
    )


def _lost_events(frame: DataFrame) -> tuple[LostEvents, ...]:
    rows = frame.orderBy(sf.desc("events"), "process").collect()
    return tuple(
        LostEvents(row["host"], row["process"], row["command"], int(row["events"]), int(row["unreadable"]))
        for row in rows
    )


def _unchecked(row: Row, told: Mapping[str, str]) -> Unchecked:
    stream, receiver = row["stream"], row["receiver"]
    name = row["name"] or (called(stream) if stream else None)
    receiver_name = row["receiver_name"] or (called(receiver) if receiver else None)
    return Unchecked(
        reason=row["reason"],
        stream=stream,
        name=name,
        receiver=receiver,
        receiver_name=receiver_name,
        sent=row["sent"],
        received=row["received"],
        missing_at_most=row["missing_at_most"],
        shared_out=row["shared_out"],
        received_by_all=row["received_by_all"],
        label=told.get(stream, name),
        receiver_label=told.get(receiver, receiver_name),
    )
