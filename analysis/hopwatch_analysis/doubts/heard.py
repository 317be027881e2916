"""Until when each host is known: what an open receiver got since its host told of anything is not known, so that its silence proves nothing."""

from collections.abc import Mapping
from datetime import datetime

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf


def with_heard_until(sockets: DataFrame, hosts: Mapping[str, datetime], ends_at: datetime) -> DataFrame:
    """Adds ``heard_until``: until when what an open socket does is known; null for one that has ended, of which all is."""
    pairs = [sf.lit(part) for host, at in hosts.items() for part in (host, at)]
    told = sf.try_element_at(sf.create_map(*pairs), sf.col("host")) if pairs else sf.lit(ends_at)
    known = sf.least(sf.coalesce(told, sf.lit(ends_at)), sf.lit(ends_at))
    return sockets.withColumn("heard_until", sf.when(sf.col("ended_at").isNull(), known))
