"""Sockets that may have a peer on their own host that nobody tells of, over ipc or inproc: no addresses name the other end there."""

from hopwatch_judge.incident import UNKNOWN_TRANSPORT
from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.strangers import comings_and_goings, lasting, most_up, peers

TOLD_WITHIN = 1
"""Seconds until a monitor has told that the connection of a peer that ended is down."""


def with_local_strangers(
    connections: DataFrame, links: DataFrame, endpoints: DataFrame, sockets: DataFrame
) -> DataFrame:
    """Sockets (socket) that had at some time more ipc connections than peers that were there then.

    A socket that died with its peers may be found dead later than they are.
    """
    over_ipc = lasting(connections).where("endpoint like 'ipc:%'")
    known = _with_lives(
        peers(links).where(sf.col("transport").isin("ipc", UNKNOWN_TRANSPORT)), endpoints, sockets
    )
    of_whom = known.join(over_ipc.select("socket").distinct(), on="socket", how="left_semi")
    changes = comings_and_goings(over_ipc).unionByName(comings_and_goings(of_whom, -1))
    ends = sockets.select("socket", sf.col("ended_at").alias("own_end"))
    in_time = changes.join(ends, on="socket", how="inner").where("own_end is null or at < own_end")
    return most_up(in_time).where("most > 0").select("socket")


def bound_within_a_process(endpoints: DataFrame) -> DataFrame:
    """Sockets (socket) that are bound where others in their process may connect, of which no monitor tells."""
    bound = endpoints.where("action in ('bind', 'endpoint') and endpoint like 'inproc:%'")
    return bound.select("socket").distinct()


def _with_lives(known: DataFrame, endpoints: DataFrame, sockets: DataFrame) -> DataFrame:
    """From when to when each peer may have had a connection (at, ended_at). One that was wrapped late was there before."""
    late = endpoints.where("action = 'endpoint'").select(
        sf.col("socket").alias("peer"), sf.lit(True).alias("late")
    )
    lives = sockets.select(sf.col("socket").alias("peer"), "opened_at", "end", "ended_at")
    within = sf.when(sf.col("end") == "closed", TOLD_WITHIN).otherwise(FOUND_DEAD_WITHIN)
    told_by = sf.timestamp_micros(sf.unix_micros("ended_at") + within * 1_000_000)
    return (
        known.select("socket", "peer")
        .distinct()
        .join(lives, on="peer", how="inner")
        .join(late.distinct(), on="peer", how="left")
        .select(
            "socket",
            sf.when(sf.col("late"), sf.timestamp_micros(sf.lit(0)))
            .otherwise(sf.col("opened_at"))
            .alias("at"),
            told_by.alias("ended_at"),
        )
    )
