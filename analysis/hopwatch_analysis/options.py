"""Options of sockets as they were in force: most applications set them after the socket is wrapped."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

MARKS = ("sndhwm", "rcvhwm")
JOURNALED = (*MARKS, "linger")


def with_options(
    opened: DataFrame, options: DataFrame, endpoints: DataFrame, connections: DataFrame
) -> DataFrame:
    """Adds sndhwm, rcvhwm, linger to sockets, whose ``options`` are those of the time when they were wrapped.

    A bound endpoint gives each connection that it accepts the marks of the time of its bind. A mark that was set later is that
    of connections that the socket had by then; where it had none, it is not in force.
    """
    set_later = (
        options.where(sf.col("option").isin(*JOURNALED))
        .join(_bindings(endpoints, connections), on="socket", how="left")
        .withColumn("value", sf.col("value").try_cast("bigint"))
        .withColumn("in_time", _in_time())
        .groupBy("socket")
        .agg(*[_last_set(name).alias(f"{name}_set") for name in JOURNALED])
    )
    found = opened.join(set_later, on="socket", how="left")
    in_force = {name: sf.coalesce(f"{name}_set", sf.col("options")[name]) for name in JOURNALED}
    return found.withColumns(in_force).drop(*[f"{name}_set" for name in JOURNALED])


def _bindings(endpoints: DataFrame, connections: DataFrame) -> DataFrame:
    """When each socket was last bound, of those that were bound only and have accepted a connection: socket, bound_at,
    accepted_at (the first one).
    """
    bound = sf.col("action") == "bind"
    bindings = (
        endpoints.groupBy("socket")
        .agg(
            sf.max(sf.when(bound, sf.col("at"))).alias("bound_at"),
            sf.max(sf.col("action").isin("connect", "endpoint")).alias("others"),
        )
        .where("not others")
    )
    accepted = (
        connections.where("action = 'connected' and accepted")
        .groupBy("socket")
        .agg(sf.min("at").alias("accepted_at"))
    )
    return bindings.join(accepted, on="socket", how="inner").select("socket", "bound_at", "accepted_at")


def _in_time() -> Column:
    too_late = (
        sf.col("option").isin(*MARKS)
        & (sf.col("at") > sf.col("bound_at"))
        & (sf.col("at") < sf.col("accepted_at"))
    )
    return ~sf.coalesce(too_late, sf.lit(False))


def _last_set(name: str) -> Column:
    own = (sf.col("option") == name) & sf.col("in_time") & sf.col("value").isNotNull()
    return sf.max_by(sf.when(own, sf.col("value")), sf.when(own, sf.struct("at", "n")))
