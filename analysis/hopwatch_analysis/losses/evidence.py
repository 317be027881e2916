"""What is held against the ranges that are missing."""

from dataclasses import dataclass

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Evidence:
    """Frames that tell one hop from another."""

    owed: DataFrame
    owed_ranges: DataFrame
    way_edges: DataFrame
    lanes: DataFrame
    onsets: DataFrame
    link_facts: DataFrame
    links: DataFrame
    counters: DataFrame
    streams: DataFrame
    counted_all: DataFrame
    sockets: DataFrame
    replaced: DataFrame
    handovers: DataFrame
    unwatched: DataFrame
