"""The result tables, which are small, as records."""

from typing import Any

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from hopwatch_analysis.pipeline import Scope
from hopwatch_analysis.reading import Landed, Tables
from hopwatch_analysis.records import Analysis, Finding, Hop, Incident, LedgerRow, Node
from hopwatch_analysis.unroutable import NOBODY

NO_PEER = "a peer that was not there"
TERMS = ("sent", "delivered", "lost", "in_flight", "unexplained")


def summarize(results: Tables, landed: Landed, scope: Scope) -> Analysis:
    """Collect hops, ledger, incidents and findings: worst first."""
    hops = results["hops"].orderBy(sf.desc("lost"), "from_node_name", "to_node_name")
    ledger = results["ledger"].orderBy("name", "receiver_name", "stream", "receiver")
    incidents = results["incidents"].orderBy(sf.desc("lost"), "started_at", "from_name", "to_name")
    return Analysis(
        began_at=scope.since or landed.earliest,
        ended_at=scope.ends_at,
        hops=tuple(_hop(row) for row in hops.collect()),
        ledger=tuple(_ledger_row(row) for row in ledger.collect()),
        incidents=tuple(_incident(row) for row in incidents.collect()),
        findings=_findings(results["findings"]),
        skipped=tuple((skipped.file, skipped.reason) for skipped in landed.skipped),
    )


def _hop(row: Row) -> Hop:
    return Hop(
        sender=_node(row, "from"),
        receiver=_node(row, "to"),
        transport=row["transport"] or "unknown",
        **{name: int(row[name]) for name in TERMS},
    )


def _node(row: Row, side: str) -> Node:
    socket = row[f"{side}_socket"]
    return Node(
        host=row[f"{side}_host"],
        process=row[f"{side}_process"],
        socket=socket,
        name=row[f"{side}_node_name"] or _unknown(socket),
        type=row[f"{side}_node_type"],
    )


def _ledger_row(row: Row) -> LedgerRow:
    return LedgerRow(
        stream=row["stream"],
        name=row["name"] or _unknown(row["stream"]),
        receiver=row["receiver"],
        receiver_name=row["receiver_name"],
        causes=row["causes"] or {},
        **{name: int(row[name]) for name in TERMS},
    )


def _incident(row: Row) -> Incident:
    values: dict[str, Any] = row.asDict()
    same = (
        "cause",
        "exact",
        "started_at",
        "ended_at",
        "lost",
        "runs",
        "longest",
        "onsets",
        "transport",
        "sndhwm",
        "rcvhwm",
        "mean_rate",
        "capacity",
        "loss_share",
        "downs",
        "sent_when_connected",
        "receiver_left_first",
    )
    return Incident(
        sender=row["from_name"] or _unknown(row["from_node"]),
        receiver=row["to_name"] or _unknown(row["to_node"]),
        sender_type=row["from_type"],
        receiver_type=row["to_type"],
        sender_end=row["from_end"],
        receiver_end=row["to_end"],
        streams=tuple(row["streams"]),
        stream_names=tuple(row["stream_names"]),
        peers=tuple(row["peers"]),
        reasons=tuple(row["reasons"]),
        **{name: values[name] for name in same},
    )


def _findings(frame: DataFrame) -> tuple[Finding, ...]:
    rows = (
        frame.select("socket", "rule", "text", "advice")
        .distinct()
        .orderBy("socket", "rule", "text")
        .collect()
    )
    return tuple(Finding(row["socket"], row["rule"], row["text"] or "", row["advice"] or "") for row in rows)


def _unknown(socket: str) -> str:
    return NO_PEER if socket == NOBODY else f"socket {socket[:6]}"
