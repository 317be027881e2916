"""Stamped senders whose receiver is not wrapped: it gets a frame more than the sender sent it."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.links.strangers import first_strangers, with_strangers

RULE = "receiver_not_wrapped"
AT = "Its messages are stamped, and no instrumented socket is known at the other end of "
MEANS = (
    ", on the same host: such a receiver gets the stamp as one more frame, and what it misses is not known."
)
ADVICE = "Wrap the receiver too, have its journal read by an agent, or take the numbers that messages already carry."
ADDRESS = r"^(.*):\d+$"


def unwrapped_receivers(
    connections: DataFrame,
    mirrored: DataFrame,
    sockets: DataFrame,
    *,
    links: DataFrame,
    silent_ones: DataFrame,
    way_edges: DataFrame,
) -> DataFrame:
    """Findings (socket, rule, text, advice), one a sender at most.

    Of strangers (see there) only those on one address with the sender count: another host may have an agent of its own. A stream that somebody
    got by a way that is not known passes through sockets that are not wrapped, and need not end there.
    """
    stamped = sockets.where("stamped and type not in ('SUB', 'XSUB', 'PULL')").select("socket")
    by_unknown_way = way_edges.where("transport = 'unknown'").select(sf.col("stream").alias("socket"))
    at_one_place = sf.regexp_extract("local", ADDRESS, 1) == sf.regexp_extract("remote", ADDRESS, 1)
    here = connections.join(stamped, on="socket", how="left_semi").where(
        (sf.col("action") != "connected") | at_one_place
    )
    which = sf.when(sf.col("silent") == 0, sf.concat(sf.lit("its connection to "), "remote"))
    text = sf.concat(sf.lit(AT), sf.coalesce(which, sf.lit("one of its connections")), sf.lit(MEANS))
    return (
        with_strangers(here, mirrored, links, silent_ones)
        .join(by_unknown_way, on="socket", how="left_anti")
        .join(first_strangers(here, mirrored), on="socket", how="inner")
        .select("socket", sf.lit(RULE).alias("rule"), text.alias("text"), sf.lit(ADVICE).alias("advice"))
    )
