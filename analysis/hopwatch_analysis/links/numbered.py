"""Which of two receivers is at the other end of a connection, by the numbers of the messages that either got, whatever clocks say.

Who got nothing that had been sent before a connection went down was hardly there, if somebody else may have been.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def proven(lane_rows: DataFrame) -> DataFrame:
    """Pairs of which the one got stamps of the other, each both ways: socket, peer, first_got and first_given (the lowest numbers that the
    socket got of the peer, and the peer of the socket).
    """
    got = (
        lane_rows.where("role = 'receive' and stream is not null")
        .groupBy("socket", sf.col("stream").alias("peer"))
        .agg(sf.min("first").alias("first"))
    )
    nobody = sf.lit(None).cast("long")
    one = got.select("socket", "peer", sf.col("first").alias("first_got"), nobody.alias("first_given"))
    other = got.select(
        sf.col("peer").alias("socket"),
        sf.col("socket").alias("peer"),
        nobody.alias("first_got"),
        sf.col("first").alias("first_given"),
    )
    both = one.unionByName(other)
    return both.groupBy("socket", "peer").agg(
        sf.min("first_got").alias("first_got"), sf.min("first_given").alias("first_given")
    )


def with_who_came_later(candidates: DataFrame) -> DataFrame:
    """Adds ``later``, to candidates with the columns of ``proven`` and sent_at_down of both ends: whoever receives got nothing that had been
    sent by then; of two that send to each other, both.

    A number is lower than the count of all that had been sent. Who reconnects, or subscribes late, got nothing over its first connection either: so this only
    tells which of two is the likelier.
    """
    given = sf.col("first_given") >= sf.col("sent_at_down")
    got = sf.col("first_got") >= sf.col("peer_sent_at_down")
    no = sf.lit(False)
    return candidates.withColumn("later", sf.coalesce(given, got, no) & sf.coalesce(got, given, no))
