"""Incidents as rows of landed files: what a report tells of them, one row each."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from hopwatch_judge import Place, advice, counted, evidence
from pyspark.sql import Row

from hopwatch_analysis.report.identities import utc
from hopwatch_analysis.report.incident_rows import called, incident_of
from hopwatch_analysis.report.labels import Identity, labels, places

INCIDENT, CORRECTION = "incident", "correction"
TEXT, TIME = pa.string(), pa.timestamp("us", tz="UTC")
SCHEMA = pa.schema(
    [
        ("schema_version", pa.int32()),
        ("incident", TEXT),
        ("kind", TEXT),
        ("hop", TEXT),
        ("from_node", TEXT),
        ("to_node", TEXT),
        ("cause", TEXT),
        ("certainty", TEXT),
        ("started_at", TIME),
        ("ended_at", TIME),
        ("lost", pa.int64()),
        ("streams", pa.list_(TEXT)),
        ("evidence", pa.list_(pa.struct([("kind", TEXT), ("text", TEXT)]))),
        ("advice", pa.list_(TEXT)),
    ]
)
VERSION = 1


def landed_rows(
    batch: int, incidents: Sequence[Row], corrections: Sequence[Row], known: Mapping[str, Identity]
) -> pa.Table | None:
    """The rows that a turn lands, oldest first; None if there are none. An ``incident`` is named by its turn and its place."""
    nodes = {row[end] for row in (*incidents, *corrections) for end in ("from_node", "to_node")}
    streams = {stream for row in incidents for stream in row["streams"]}
    here = [known[node] for node in sorted((nodes | streams) & known.keys())]
    told = labels([*here, *(known[one.proxy] for one in here if one.proxy)])
    placed = places(here)
    rows = [_incident(row, told, placed) for row in incidents] + [
        _correction(row, told) for row in corrections
    ]
    if not rows:
        return None
    return pa.Table.from_pylist(list(_named(batch, rows)), schema=SCHEMA)


def _named(batch: int, rows: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    in_order = sorted(rows, key=lambda row: (row["ended_at"], row["hop"], row["cause"], row["certainty"]))
    for place, row in enumerate(in_order, start=1):
        yield {"schema_version": VERSION, "incident": f"{batch}-{place}"} | row


def _incident(row: Row, told: Mapping[str, str], placed: Mapping[str, Place]) -> dict[str, Any]:
    incident = incident_of(row, told, placed)
    return {
        "kind": INCIDENT,
        "hop": incident.hop,
        "from_node": row["from_node"],
        "to_node": row["to_node"],
        "cause": incident.cause,
        "certainty": "exact" if incident.exact else "inferred",
        "started_at": incident.started_at,
        "ended_at": incident.ended_at or incident.started_at,
        "lost": incident.lost,
        "streams": list(incident.streams),
        "evidence": [{"kind": item["kind"], "text": item["text"]} for item in evidence(incident)],
        "advice": advice(incident),
    }


def _correction(row: Row, told: Mapping[str, str]) -> dict[str, Any]:
    sender, receiver = (told.get(row[end], called(row[end])) for end in ("from_node", "to_node"))
    messages = row["messages"]
    difference = f"{counted(abs(messages), 'message')} {'more' if messages > 0 else 'fewer'}"
    text = f"{difference} lost of this cause than was told before, as is known by now"
    return {
        "kind": CORRECTION,
        "hop": f"{sender} → {receiver}",
        "from_node": row["from_node"],
        "to_node": row["to_node"],
        "cause": row["cause"],
        "certainty": row["certainty"],
        "started_at": None,
        "ended_at": utc(row["until"]),
        "lost": messages,
        "streams": row["streams"],
        "evidence": [{"kind": CORRECTION, "text": text}],
        "advice": [],
    }
