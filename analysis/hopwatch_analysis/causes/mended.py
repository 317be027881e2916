"""Losses at the end of a lane while its connection was down for a while, and came back."""

from pyspark.sql import Column
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds
from hopwatch_analysis.terms.delays import SAMPLED_WITHIN, UNDER_WAY


def overlaps_a_mended_down() -> Column:
    """The connection went down and came back in the time in which these were sent, or were under way; or at a time that another clock tells."""
    mended = sf.exists("downs", lambda down: down["end"].isNotNull())
    by_another_clock = sf.col("to_end_was_cut") & ~mended
    of_all = ((sf.col("part") == "all") & mended) | by_another_clock
    return sf.coalesce(sf.exists("downs", _while_sent), sf.lit(False)) | sf.coalesce(of_all, sf.lit(False))


def went_with_a_mended_down() -> Column:
    """All of these had been sent when the connection that they were sent over, or around, was mended."""
    sent_by_then = sf.exists(
        "downs", lambda down: _while_sent(down) & (seconds(sf.col("sent_at"), down["end"]) <= SAMPLED_WITHIN)
    )
    return sf.coalesce(sent_by_then, sf.lit(False))


def _while_sent(down: Column) -> Column:
    return (
        down["end"].isNotNull()
        & (down["end"] >= sf.col("before_sent_at"))
        & (seconds(down["start"], sf.col("sent_at")) <= UNDER_WAY)
    )
