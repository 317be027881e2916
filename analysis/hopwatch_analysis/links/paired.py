"""Which ends of connections belong together, of candidates that nothing tells apart but when they came up, and how long they lasted.

Between two sockets that meet nobody else so, and of which either tells of as many, the first belongs to the first, whatever their clocks say. Else those do
that came up nearest in time to each other; of several that came up at once, those that lasted as long, whatever their clocks say. Whoever is known to have
come ``later`` than a connection went down, where candidates have that column, is taken for its other end only if nobody else can be.
"""

from hopwatch_judge.thresholds import FOUND_DEAD_WITHIN
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import best, seconds, settle

AT_ONE_TIME = 0.1  # seconds: within that both ends tell of a connection that came up, or went down
CAME_UP_AT_ONCE = 0.3  # seconds: no order of two connections is told by their ends' clocks so finely
OURS, THEIRS = ("socket", "connection"), ("peer", "peer_connection")
"""What an end is known by, of one side and of the other."""


def paired(candidates: DataFrame) -> DataFrame:
    """Each connection's one other end; adds ``mistakable``. Of those left over in the end, the only two of their sockets belong together."""
    in_turn = settle(_in_turn(candidates))
    nearest = settle(_nearest(without(candidates, in_turn)))
    left_over = _in_turn(without(without(candidates, in_turn), nearest))
    columns = (*candidates.columns, "mistakable")
    return (
        in_turn.withColumn("mistakable", sf.lit(False))
        .unionByName(nearest.select(*columns))
        .unionByName(left_over.withColumn("mistakable", sf.lit(True)))
    )


def _in_turn(candidates: DataFrame) -> DataFrame:
    """Of two sockets that have no other candidate, and either as many connections: the first with the first, and so on."""
    pair = Window.partitionBy("socket", "peer")
    turns = alone(candidates).withColumns(
        {
            "turn": sf.dense_rank().over(pair.orderBy("at", "connection")),
            "peer_turn": sf.dense_rank().over(pair.orderBy("peer_at", "peer_connection")),
        }
    )
    as_many = sf.max("turn").over(pair) == sf.max("peer_turn").over(pair)
    matched = turns.withColumn("as_many", as_many).where("as_many and turn = peer_turn")
    return matched.select(*candidates.columns)


def _nearest(candidates: DataFrame) -> DataFrame:
    """Those of which each end is the other's nearest in time."""
    of_ours = _nearest_to(candidates, OURS, THEIRS)
    of_theirs = _nearest_to(candidates, THEIRS, OURS)
    as_they_see_it = of_theirs.select(*OURS, *THEIRS, sf.col("doubtful").alias("doubted"))
    return of_ours.join(as_they_see_it, on=[*OURS, *THEIRS], how="inner").withColumn(
        "mistakable", sf.col("doubtful") | sf.col("doubted")
    )


def _nearest_to(candidates: DataFrame, one: tuple[str, str], other: tuple[str, str]) -> DataFrame:
    """The candidate that came up nearest to one end; of those that came up at once, the one that lasted as long, or did not go down either.
    Adds ``doubtful``: another one lasted about as long, or was nearer and is known to have come later.
    """
    apart = sf.abs(seconds(sf.col("at"), sf.col("peer_at")))
    behind_the_nearest = apart - sf.min(apart).over(Window.partitionBy(*one))
    ranked = candidates.withColumns(
        {
            "later": sf.col("later") if "later" in candidates.columns else sf.lit(False),
            "came_apart": sf.when(behind_the_nearest > CAME_UP_AT_ONCE, apart).otherwise(0.0),
            "unlike": unlike(),
        }
    )
    order = [
        sf.col("later"),
        sf.col("came_apart"),
        sf.col("unlike").asc_nulls_last(),
        apart,
        *map(sf.col, other),
    ]
    return best(ranked.transform(lambda frame: _with_doubt(frame, one)), one, order)


def unlike() -> Column:
    """By how much (seconds) the two ends did not last equally long. Who was found dead had died before, and may seem to have lasted longer, not shorter."""
    longer = seconds(sf.col("gone_at"), sf.col("at")) - seconds(sf.col("peer_gone_at"), sf.col("peer_at"))
    ours, theirs = sf.col("found_dead"), sf.col("peer_found_dead")
    cannot_be = (ours & ~theirs & (longer < -AT_ONE_TIME)) | (theirs & ~ours & (longer > AT_ONE_TIME))
    both_stay = sf.col("gone_at").isNull() & sf.col("peer_gone_at").isNull()
    return sf.when(both_stay, 0.0).otherwise(
        sf.abs(longer) + sf.when(cannot_be, FOUND_DEAD_WITHIN).otherwise(0)
    )


def _with_doubt(ranked: DataFrame, one: tuple[str, str]) -> DataFrame:
    """Adds ``doubtful``. Who was killed is found dead some time later, so that how long it lasted is known no better."""
    of_one = Window.partitionBy(*one)
    least = sf.min(sf.when(sf.col("came_apart") == 0.0, sf.col("unlike"))).over(of_one)
    at_once = sf.col("came_apart") == 0.0
    as_like = at_once & (sf.col("unlike") - sf.col("least") <= FOUND_DEAD_WITHIN)
    rivals = sf.count(sf.when(as_like, 1)).over(of_one)
    passed_over = sf.max(at_once & sf.col("later")).over(of_one) & ~at_once
    return ranked.withColumn("least", least).withColumn("doubtful", (rivals > 1) | passed_over).drop("least")


def alone(candidates: DataFrame) -> DataFrame:
    """Those between two sockets that have no other candidate."""
    counted = candidates.withColumns(
        {
            "peers": sf.size(sf.collect_set("peer").over(Window.partitionBy(*OURS))),
            "rivals": sf.size(sf.collect_set("socket").over(Window.partitionBy(*THEIRS))),
        }
    )
    return counted.where("peers = 1 and rivals = 1")


def without(candidates: DataFrame, found: DataFrame) -> DataFrame:
    """Those of which neither end has been found."""
    return candidates.join(found, on=list(OURS), how="left_anti").join(
        found, on=list(THEIRS), how="left_anti"
    )
