"""Options of sockets as they were in force: most applications set them after the socket is wrapped.

A bound endpoint gives each connection that it accepts the marks of the time of its bind. A mark that is set later is that of the
connections that the socket has taken in by then, which it does when it is next used.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

MARKS = ("sndhwm", "rcvhwm")
OF_THE_TIME = ("conflate", "maxmsgsize", "immediate", "sndbuf", "rcvbuf")
"""What a bind or a connect takes over; set later, they do nothing to it."""
JOURNALED = (*MARKS, "linger", "req_relaxed", *OF_THE_TIME)
TAKEN_IN_AFTER = 100_000  # microseconds: a connection that came so shortly before was hardly used by then


def with_options(
    opened: DataFrame, options: DataFrame, endpoints: DataFrame, connections: DataFrame
) -> DataFrame:
    """Adds sndhwm, rcvhwm, linger, sndbuf, rcvbuf, req_relaxed, conflate, maxmsgsize, immediate to sockets, whose ``options`` are those of the time when they were wrapped; and sndhwm_late,
    rcvhwm_late: (at, value, at_bind) of a mark that was set after the bind, else null.

    Where there was such a mark, ``sndhwm`` and ``rcvhwm`` are those of the newest connection.
    """
    set_later = (
        options.where(sf.col("option").isin(*JOURNALED))
        .join(_bindings(endpoints), on="socket", how="left")
        .join(_attached(endpoints), on="socket", how="left")
        .where(
            ~sf.col("option").isin(*OF_THE_TIME)
            | sf.coalesce(sf.col("n") < sf.col("attached_n"), sf.lit(True))
        )
        .withColumn("value", sf.col("value").try_cast("bigint"))
        .groupBy("socket")
        .agg(
            sf.max("bound_at").alias("bound_at"),
            *[_last_set(name, sf.lit(True)).alias(f"{name}_set") for name in JOURNALED],
            *[_last_set(name, sf.col("at") <= sf.col("bound_at")).alias(f"{name}_bound") for name in MARKS],
        )
    )
    found = opened.join(set_later, on="socket", how="left").join(
        _accepted(connections), on="socket", how="left"
    )
    late = {f"{name}_late": _late(name) for name in MARKS}
    latest = {name: sf.coalesce(f"{name}_set.value", sf.col("options")[name]) for name in JOURNALED}
    used = [f"{name}_{when}" for name in JOURNALED for when in ("set", "bound")]
    return (
        found.withColumns(late)
        .withColumns(latest)
        .withColumns({name: in_force(name, sf.col("accepted_at")) for name in MARKS})
        .drop("bound_at", "accepted_at", *used)
    )


def in_force(mark: str, connected_at: Column) -> Column:
    """The mark of a connection that came up then."""
    late = sf.col(f"{mark}_late")
    too_late = sf.unix_micros(connected_at) > sf.unix_micros(late["at"]) - TAKEN_IN_AFTER
    return sf.when(sf.coalesce(too_late, sf.lit(False)), late["at_bind"]).otherwise(
        sf.coalesce(late["value"], sf.col(mark))
    )


def _bindings(endpoints: DataFrame) -> DataFrame:
    """When each socket was last bound, of those that were bound only: socket, bound_at."""
    bound_at = sf.max(sf.when(sf.col("action") == "bind", sf.col("at")))
    others = sf.max(sf.col("action").isin("connect", "endpoint"))
    bindings = endpoints.groupBy("socket").agg(bound_at.alias("bound_at"), others.alias("others"))
    return bindings.where("not others").drop("others")


def _attached(endpoints: DataFrame) -> DataFrame:
    """The event in which each socket was last bound or connected: socket, attached_n."""
    attached = endpoints.where(sf.col("action").isin("bind", "connect"))
    return attached.groupBy("socket").agg(sf.max("n").alias("attached_n"))


def _accepted(connections: DataFrame) -> DataFrame:
    """When each socket accepted its newest connection: socket, accepted_at."""
    accepted = connections.where("action = 'connected' and accepted")
    return accepted.groupBy("socket").agg(sf.max("at").alias("accepted_at"))


def _last_set(name: str, condition: Column) -> Column:
    own = (sf.col("option") == name) & condition & sf.col("value").isNotNull()
    return sf.max(sf.when(own, sf.struct("at", "n", "value")))


def _late(name: str) -> Column:
    last, at_bind = sf.col(f"{name}_set"), sf.coalesce(f"{name}_bound.value", sf.col("options")[name])
    is_late = (last["at"] > sf.col("bound_at")) & (last["value"] != at_bind)
    return sf.when(
        is_late, sf.struct(last["at"].alias("at"), last["value"].alias("value"), at_bind.alias("at_bind"))
    )
