"""Connections that went down while both ends were there, though one of them may not have seen it."""

from hopwatch_judge.thresholds import AT_ONCE, CLOCKS_COMPARED_WITHIN, SEEN_DOWN_WITHIN
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import seconds

IN_ORDER = ("closed", "exited")


def with_cuts(link_facts: DataFrame, sockets: DataFrame) -> DataFrame:
    """Adds to what connection events tell (``to_end_downs`` as well) what else one clock tells of the two ends (``sockets`` with their ``clock`` and ``alive_at``).

    ``from_end_stayed``: the sending end was there for longer than until the receiving end saw the connection go down for good (false also where that is not known), and
    ``to_end_stayed`` the other way round; ``cut_alone``: so only one end saw it. ``downs`` has those too that the receiving end alone saw.
    """
    ends = sockets.select("socket", "host", "clock", _there_until().alias("there_until"))
    names = ("socket", "host", "clock", "there_until")
    by_side = {side: ends.toDF(*(f"{side}_{name}" for name in names)) for side in ("from", "to")}
    told = (
        link_facts.join(by_side["from"], on="from_socket", how="left")
        .join(by_side["to"], on="to_socket", how="left")
        .withColumns(
            {
                "from_end_stayed": _stayed("from_there_until", "to_end_down_at"),
                "to_end_stayed": _stayed("to_there_until", "left_at"),
            }
        )
        .withColumn("cut_alone", _cut_alone())
        .withColumn("downs", sf.concat("downs", _of_the_receiving_end_alone()))
    )
    return told.select(*_but_for(link_facts, "to_end_downs"), "from_end_stayed", "to_end_stayed", "cut_alone")


def _but_for(frame: DataFrame, name: str) -> list[str]:
    return [each for each in frame.columns if each != name]


def _there_until() -> Column:
    """Of one that was found dead, or is open, as far as it is known to have done something."""
    return sf.when(sf.col("end").isin(*IN_ORDER), sf.col("ended_at")).otherwise(sf.col("alive_at"))


def _stayed(there_until: str, down_at: str) -> Column:
    one_host = sf.col("from_host") == sf.col("to_host")
    within = SEEN_DOWN_WITHIN + sf.when(one_host, 0.0).otherwise(CLOCKS_COMPARED_WITHIN)
    stayed = seconds(sf.col(there_until), sf.col(down_at)) > within
    return sf.coalesce(_one_clock() & stayed, sf.lit(False))


def _one_clock() -> Column:
    return sf.col("from_clock") == sf.col("to_clock")


def _cut_alone() -> Column:
    by_sender = sf.col("to_end_down_at").isNull() & sf.col("to_end_stayed")
    by_receiver = sf.col("left_at").isNull() & sf.col("from_end_stayed")
    return sf.col("quit_at").isNull() & (by_sender | by_receiver)


def _of_the_receiving_end_alone() -> Column:
    """Its ``downs`` that the sending end did not see: a new connection came up before that one found the old one dead, or none did."""
    were_cuts = sf.filter(
        "to_end_downs", lambda down: (down["end"].isNotNull() | sf.col("cut_alone")) & ~_seen_as_well(down)
    )
    none = sf.slice("downs", 1, 0)
    return sf.when(_one_clock(), sf.coalesce(were_cuts, none)).otherwise(none)


def _seen_as_well(down: Column) -> Column:
    def at_about_that_time(other: Column) -> Column:
        began = sf.coalesce(seconds(other["start"], down["end"]) <= AT_ONCE, sf.lit(True))
        return began & sf.coalesce(seconds(down["start"], other["end"]) <= AT_ONCE, sf.lit(True))

    return sf.exists("downs", at_about_that_time)
