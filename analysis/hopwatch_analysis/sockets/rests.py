"""When proxies took in nothing more, as their own counts tell."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def rests(counters: DataFrame) -> DataFrame:
    """Since when each proxy's socket has counted no more coming in, and until when it was asked, by its own host's clock: socket,
    took_last_at, asked_until. What came last had come by then; where nothing changes no row is written, so that one which is still there was asked for longer.
    """
    asked_at = sf.timestamp_micros((sf.col("proxied_at") / 1000).cast("long"))
    return (
        counters.where("proxied_at > 0")
        .groupBy("socket", "proxied_in_frames")
        .agg(sf.min(asked_at).alias("first_told"), sf.max(asked_at).alias("last_told"))
        .groupBy("socket")
        .agg(
            sf.max_by("first_told", "proxied_in_frames").alias("took_last_at"),
            sf.max("last_told").alias("asked_until"),
        )
    )
