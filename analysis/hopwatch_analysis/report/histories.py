"""The timeline's table, which is small, as a record."""

from collections import defaultdict
from collections.abc import Mapping

from pyspark.sql import DataFrame, Row

from hopwatch_analysis.incidents.timeline import MEASURES, NOWHERE, OUTSIDE
from hopwatch_analysis.report.records import Hop
from hopwatch_analysis.terms.buckets import Buckets, Counts, HopHistory, Timeline

HopKey = tuple[str, str]


def hop_key(row: Row) -> HopKey:
    """What a row about a hop has in common with others about it."""
    return row["from_node"], NOWHERE if row["to_node"] is None else row["to_node"]


def collected(frame: DataFrame, buckets: Buckets, hops: Mapping[HopKey, Hop]) -> Timeline:
    """The history of each hop that the table tells of, in the order of ``hops``: the worst first."""
    rows: dict[HopKey, list[Row]] = defaultdict(list)
    for row in frame.collect():
        rows[hop_key(row)].append(row)
    shown = [key for key in hops if key in rows]
    return Timeline(
        buckets,
        tuple(_history(hops[key].label, rows[key], buckets.count) for key in shown),
        len(hops) - len(shown),
    )


def _history(hop: str, rows: list[Row], count: int) -> HopHistory:
    by_bucket = {row["bucket"]: row for row in rows}
    series = {name: _series(by_bucket, name, count) for name in MEASURES}
    none = (0,) * count
    outside = by_bucket.get(OUTSIDE)
    return HopHistory(
        hop=hop,
        lost=series["lost"] or none,
        onsets=series["onsets"] or none,
        reconnects=series["reconnects"] or none,
        sent=series["sent"],
        received=series["received"],
        lost_at_other_times=int(outside["lost"] or 0) if outside else 0,
    )


def _series(rows: Mapping[int, Row], name: str, count: int) -> Counts | None:
    """One number a bucket; None where there is none at all."""
    if all(row[name] is None for row in rows.values()):
        return None
    return tuple(int(rows[bucket][name] or 0) if bucket in rows else 0 for bucket in range(count))
