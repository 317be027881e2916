"""What the judge says of all streams: of those that may lack something case by case, and of the others in sums."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.cases import complete
from hopwatch_analysis.cases.judging import told, verdicts
from hopwatch_analysis.cases.meeting import cases
from hopwatch_analysis.cases.rows import asked, rows
from hopwatch_analysis.files.reading import Tables
from hopwatch_analysis.seen.seen import Seen
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.terms.accounts import by_hop
from hopwatch_analysis.topology import Scope, Topology

EDGE = "stream string, from_socket string, to_socket string"
ACCOUNTS = (
    "stream string, receiver string, lane long, mark string, messages long, depth int, from_socket string, to_socket string, "
    "cause string, exact boolean, started_at double, ended_at double, at_onset boolean"
)
DELIVERED = "stream string, receiver string, delivered long"
PASSED = f"{EDGE}, sent long, delivered long, lost long, in_flight long, unexplained long"
PRESSURE = f"{EDGE}, mean_rate double, asked_rate double, asked_bytes double, capacity double, loss_share double, went_on boolean, sent_on double"
OVERLOADS = "to_socket string, since double, until double, asked double, read double"
BEYOND_SENT = (
    "stream string, lane long, receiver string, sent_at_last long, came long, lacking long, next long"
)
UNKNOWN_FULL = "stream string, times long"


@dataclass(frozen=True)
class Judged:
    """``accounts`` of all that did not come; ``delivered`` by stream and receiver, and ``passed`` by stream and hop; ``pressure`` of hops that lost
    something; ``overloads`` of receivers; ``beyond_sent``: lanes of which a receiver has more than was sent; ``unknown_full``: onsets of
    messages that no known receiver lacks.
    """

    accounts: DataFrame
    delivered: DataFrame
    passed: DataFrame
    pressure: DataFrame
    overloads: DataFrame
    beyond_sent: DataFrame
    unknown_full: DataFrame

    @property
    def swallowed(self) -> DataFrame:
        """How many messages each ROUTER swallowed: stream, swallowed."""
        once = by_hop(self.accounts.where("cause = 'unroutable'"))
        return once.groupBy("stream").agg(sf.sum("messages").alias("swallowed"))


def judged(tables: Tables, topology: Topology, seen: Seen, scope: Scope) -> Judged:
    """Judge all streams, also those before the window: what proxies counted of them is held against what they lost."""
    wanted = complete.wanted(tables, topology)
    lacking = complete.lacking(tables, topology, wanted)
    streams = _in_cases(topology, lacking)
    found = verdicts(rows(tables, topology, seen, scope, asked(streams, topology)))
    rest = wanted.join(streams, on="stream", how="left_anti")
    return Judged(
        accounts=settle(_accounts(told(found, "accounts", ACCOUNTS))),
        delivered=told(found, "delivered", DELIVERED).unionByName(complete.delivered(rest, topology)),
        passed=told(found, "passed", PASSED).unionByName(complete.passed(rest, topology)),
        pressure=told(found, "pressure", PRESSURE),
        overloads=_overloads(told(found, "overloads", OVERLOADS)),
        beyond_sent=told(found, "beyond_sent", BEYOND_SENT),
        unknown_full=told(found, "unknown_full", UNKNOWN_FULL),
    )


def _in_cases(topology: Topology, lacking: DataFrame) -> DataFrame:
    """Streams that meet one that may lack something: stream, case, lacks."""
    streams = topology.streams.unionByName(lacking.select("stream")).distinct()
    met = settle(cases(lacking.sparkSession, streams, topology.edges))
    marked = met.join(lacking.withColumn("lacks", sf.lit(True)), on="stream", how="left").fillna(
        False, subset=["lacks"]
    )
    judged_ones = marked.where("lacks").select("case").distinct()
    return settle(marked.join(sf.broadcast(judged_ones), on="case", how="left_semi"))


def _accounts(rows: DataFrame) -> DataFrame:
    """Accounts with their times as such, and how sure they are as a word."""
    return rows.withColumns(
        {
            "certainty": sf.when(sf.col("exact"), "exact").otherwise("inferred"),
            "started_at": _time("started_at"),
            "ended_at": _time("ended_at"),
        }
    ).drop("exact")


def _overloads(rows: DataFrame) -> DataFrame:
    return rows.withColumns(
        {
            "seconds": sf.col("until") - sf.col("since"),
            "since": _time("since"),
            "until": _time("until"),
        }
    )


def _time(name: str) -> Column:
    return sf.timestamp_micros(sf.round(sf.col(name) * 1e6).cast("long"))
