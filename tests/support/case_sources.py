"""What cases are made of, as the analysis has it before it judges."""

from collections.abc import Sequence
from pathlib import Path

from hopwatch_analysis.cases.sources import Sources
from hopwatch_analysis.causes import hangups, kernel_limits
from hopwatch_analysis.causes.explained import _strangers
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.files.reading import load
from hopwatch_analysis.lanes.carried import assigned
from hopwatch_analysis.links import clocks
from hopwatch_analysis.spark.frames import settle
from hopwatch_analysis.topology import Scope, topology_of
from pyspark.sql import SparkSession

GUARD = 5.0


def sources_of(spark: SparkSession, folders: Sequence[Path]) -> Sources:
    """Return what these landed folders tell, all of it together."""
    landed, as_told = load(spark, find_landed([str(folder) for folder in folders]))
    differences = clocks.differences(as_told)
    ahead = clocks.ahead_by(differences)
    ends_at = landed.latest_by(ahead)
    assert ends_at is not None
    scope = Scope(
        ends_at,
        GUARD,
        begins_at=landed.earliest,
        compared=clocks.compared_by(differences),
        unreadable_hosts=landed.unreadable_hosts,
        heard_until=landed.heard_until(ahead),
    )
    tables = clocks.by_one_clock(as_told, ahead)
    topology = topology_of(tables, scope)
    gaps = assigned(tables["lane"], tables["gap"], topology.sockets, topology.links).gaps
    return Sources(
        tables=tables,
        topology=topology,
        scope=scope,
        gaps=settle(gaps),
        hang_ups=settle(hangups.by_edge(hangups.hang_ups(tables, topology))),
        kernel=settle(kernel_limits.readings(tables, topology.mirrored)),
        strangers=settle(_strangers(tables, topology)),
    )
