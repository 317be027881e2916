"""Incidents as rows of Spark's and as records. There is no bound to how many a report has: few of them are in memory at a time."""

from collections.abc import Iterator, Mapping
from typing import Any

from hopwatch_judge import NO_PEER, NOBODY, Brief, Incident, KilledForMemory, Place
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.incidents import meanwhile
from hopwatch_analysis.incidents.edge_figures import FIGURES
from hopwatch_analysis.incidents.incidents import COUNTS
from hopwatch_analysis.report.identities import utc
from hopwatch_analysis.report.labels import brief
from hopwatch_analysis.seen.swallowed import NO_SOCKET
from hopwatch_analysis.spark.failures import JAVA_ENDED

ENDS = ("from_node", "to_node")


def worst_first(incidents: DataFrame) -> DataFrame:
    """In the order of reports: the same one each time."""
    return incidents.orderBy(
        sf.desc("lost"), "started_at", "from_name", "to_name", *ENDS, "cause", sf.desc("exact"), "ended_at"
    )


def records(incidents: DataFrame, told: Mapping[str, str], placed: Mapping[str, Place]) -> Iterator[Incident]:
    """One after the other, of which Spark hands over a partition at a time; ``told`` are the labels of nodes and streams, ``placed`` where nodes run.

    Raises AnalysisError if Spark's Java process ends meanwhile.
    """
    try:
        for row in incidents.toLocalIterator():
            yield incident_of(row, told, placed)
    except (OSError, EOFError) as error:  # of the connection to it, over which the rows come
        raise AnalysisError(JAVA_ENDED) from error


def ends_of(incidents: DataFrame) -> set[str]:
    """The nodes between which something was lost: no more than there are."""
    nodes = incidents.select(sf.explode(sf.array(*ENDS)).alias("node")).where("node is not null").distinct()
    return {row["node"] for row in nodes.collect()}


def incident_of(row: Row, told: Mapping[str, str], placed: Mapping[str, Place]) -> Incident:
    """The record of one row of incidents; ``told`` are the labels of nodes and streams, ``placed`` where nodes run."""
    values: dict[str, Any] = row.asDict()
    sender = told.get(row["from_node"], row["from_name"] or called(row["from_node"]))
    receiver = told.get(row["to_node"], row["to_name"] or called(row["to_node"]))
    streams = {stream: told.get(stream, called(stream)) for stream in row["streams"]}
    same = ("cause", "exact", *COUNTS, *FIGURES, *meanwhile.FIGURES)
    return Incident(
        sender=sender,
        receiver=receiver,
        started_at=utc(row["started_at"]),
        ended_at=utc(row["ended_at"]),
        took_over_at=utc(row["took_over_at"]),
        sender_type=row["from_type"],
        receiver_type=row["to_type"],
        sender_end=row["from_end"],
        receiver_end=row["to_end"],
        sender_place=placed.get(row["from_node"]),
        receiver_place=placed.get(row["to_node"]),
        sender_killed=_killed(row, "from"),
        receiver_killed=_killed(row, "to"),
        streams=tuple(row["streams"]),
        stream_labels=tuple(sorted(streams.values())),
        brief=Brief(
            brief(sender, row["from_node"]),
            brief(receiver, row["to_node"]),
            tuple(sorted(brief(label, stream) for stream, label in streams.items())),
        ),
        peers=tuple(row["peers"]),
        reasons=tuple(row["reasons"]),
        **{name: values[name] for name in same},
    )


def called(socket: str | None) -> str:
    """What a socket is called that nothing is known of."""
    if socket is None:
        return NOBODY
    return NO_PEER if socket == NO_SOCKET else f"socket {socket[:6]}"


def _killed(row: Row, side: str) -> KilledForMemory | None:
    of = row[f"{side}_killed_of"]
    return None if of is None else KilledForMemory(int(of), row[f"{side}_memory_limit"])
