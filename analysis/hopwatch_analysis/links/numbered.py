"""Which of two receivers is at the other end of a connection, by the numbers of the messages that either got, whatever clocks say.

Who got nothing that had been sent before a connection went down was not there, if somebody else was.
"""

from pyspark.sql import Column, DataFrame, Window
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


def who_was_there(candidates: DataFrame) -> DataFrame:
    """Candidates (with the columns of ``proven``, and sent_at_down of both ends) without those that another one of that connection is before.

    A number is never higher than the count of all that had been sent; the count at which a connection is seen to be down may be too high, and not too low.
    """
    given = sf.col("first_given") >= sf.col("sent_at_down")
    got = sf.col("first_got") >= sf.col("peer_sent_at_down")
    told = candidates.withColumns(
        {"gave_later": sf.coalesce(given, sf.lit(False)), "got_later": sf.coalesce(got, sf.lit(False))}
    )
    left_out = (sf.col("gave_later") & _another("gave_later", "socket", "connection")) | (
        sf.col("got_later") & _another("got_later", "peer", "peer_connection")
    )
    return told.withColumn("left_out", left_out).where("not left_out").select(*candidates.columns)


def _another(later: str, *end: str) -> Column:
    """Whether there is a candidate for that end of which this does not hold."""
    return sf.min(sf.col(later)).over(Window.partitionBy(*end)) == sf.lit(False)
