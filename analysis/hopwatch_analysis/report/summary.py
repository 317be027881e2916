"""The result tables, which are small, as records."""

from collections.abc import Callable, Iterable, Mapping
from datetime import timezone
from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from hopwatch_analysis.files.contradictions import SetAside
from hopwatch_analysis.files.reading import Landed, Tables
from hopwatch_analysis.incidents.incidents import COUNTS, FIGURES
from hopwatch_analysis.report.histories import collected, hop_key
from hopwatch_analysis.report.identities import utc
from hopwatch_analysis.report.incident import NO_PEER, NOBODY, Incident, KilledForMemory
from hopwatch_analysis.report.labels import Identity, labels
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
from hopwatch_analysis.routers.unroutable import NO_SOCKET
from hopwatch_analysis.topology import Scope

FAULTS_REPORTED = 100
TERMS = ("sent", "delivered", "lost", "in_flight", "unexplained")


def summarize(results: Tables, known: Mapping[str, Identity], landed: Landed, scope: Scope) -> Analysis:
    """Collect hops, ledger, incidents and findings: worst first."""
    hops = results["hops"].orderBy(sf.desc("lost"), "from_node_name", "to_node_name").collect()
    ledger = results["ledger"].orderBy("name", "receiver_name", "stream", "receiver").collect()
    incidents = results["incidents"].orderBy(sf.desc("lost"), "started_at", "from_name", "to_name").collect()
    findings = _finding_rows(results["findings"])
    faults = results["faults"].orderBy("at", "text").limit(FAULTS_REPORTED).collect()
    shown = _ids(hops, "from_node", "to_node") | _ids(ledger, "stream", "receiver")
    shown |= _ids(incidents, "from_node", "to_node") | _ids(findings + faults, "socket")
    unchecked = sorted(results["unchecked"].collect(), key=_by_reason(known))
    agreed = sorted(results["agreed"].collect(), key=_by_reason(known))
    shown |= _ids(unchecked + agreed, "stream", "receiver")
    shown |= {identity.proxy for node, identity in known.items() if node in shown and identity.proxy}
    told = labels(identity for node, identity in known.items() if node in shown)
    return Analysis(
        began_at=scope.since or landed.earliest,
        ended_at=scope.ends_at,
        hops=tuple(_hop(row, told) for row in hops),
        ledger=tuple(_ledger_row(row, told) for row in sorted(ledger, key=_by_age(known))),
        incidents=tuple(incident_of(row, told) for row in incidents),
        findings=tuple(_finding(row, told) for row in findings),
        unchecked=tuple(_unchecked(row, told) for row in unchecked),
        agreed=tuple(_unchecked(row, told) for row in agreed),
        skipped=tuple((skipped.file, skipped.reason) for skipped in landed.skipped),
        contradictions=landed.set_aside + _contradictions(results["contradictions"]),
        faults=tuple(_fault(row, told) for row in faults),
        fault_count=results["faults"].count(),
        lost_events=_lost_events(results["lost_events"]),
        behind=_behind(results["hosts_behind"]),
        timeline=collected(
            results["timeline"], scope.buckets, {hop_key(row): _hop(row, told) for row in hops}
        ),
    )


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


def _hop(row: Row, told: Mapping[str, str]) -> Hop:
    return Hop(
        sender=_node(row, "from", told),
        receiver=_node(row, "to", told),
        transport=row["transport"] or "unknown",
        **{name: int(row[name]) for name in TERMS},
    )


def _node(row: Row, side: str, told: Mapping[str, str]) -> Node:
    socket = row[f"{side}_socket"]
    name = row[f"{side}_node_name"] or called(socket)
    return Node(
        host=row[f"{side}_host"],
        process=row[f"{side}_process"],
        socket=socket,
        name=name,
        label=told.get(row[f"{side}_node"], name),
        type=row[f"{side}_node_type"],
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


def incident_of(row: Row, told: Mapping[str, str]) -> Incident:
    """The record of one row of incidents; ``told`` are the labels of nodes and streams."""
    values: dict[str, Any] = row.asDict()
    same = ("cause", "exact", *COUNTS, *FIGURES)
    return Incident(
        sender=told.get(row["from_node"], row["from_name"] or called(row["from_node"])),
        receiver=told.get(row["to_node"], row["to_name"] or called(row["to_node"])),
        started_at=utc(row["started_at"]),
        ended_at=utc(row["ended_at"]),
        took_over_at=utc(row["took_over_at"]),
        sender_type=row["from_type"],
        receiver_type=row["to_type"],
        sender_end=row["from_end"],
        receiver_end=row["to_end"],
        sender_killed=_killed(row, "from"),
        receiver_killed=_killed(row, "to"),
        streams=tuple(row["streams"]),
        stream_labels=tuple(sorted(told.get(stream, called(stream)) for stream in row["streams"])),
        peers=tuple(row["peers"]),
        reasons=tuple(row["reasons"]),
        **{name: values[name] for name in same},
    )


def _killed(row: Row, side: str) -> KilledForMemory | None:
    of = row[f"{side}_killed_of"]
    return None if of is None else KilledForMemory(int(of), row[f"{side}_memory_limit"])


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
        label=told.get(stream, name),
        receiver_label=told.get(receiver, receiver_name),
    )


def called(socket: str | None) -> str:
    """What a socket is called that nothing is known of."""
    if socket is None:
        return NOBODY
    return NO_PEER if socket == NO_SOCKET else f"socket {socket[:6]}"
