"""Which streams meet, and so are one case: those that pass one proxy, or end at one receiver, and all that meet those."""

from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession


def cases(spark: SparkSession, streams: DataFrame, way_edges: DataFrame) -> DataFrame:
    """One row a stream: stream, case (the least of the streams that meet).

    Who meets is put together on the driver, of one row a stream and socket on its ways: as many as there are sockets and connections, however
    many messages they sent.
    """
    found = _Meeting()
    for row in streams.select("stream").toLocalIterator():
        found.root(row["stream"])
    for row in _on_their_ways(way_edges).toLocalIterator():
        found.meet(row["stream"], row["socket"])
    names = {row: found.root(row) for row in found.streams}
    return spark.createDataFrame(_rows(names), "stream string, case string")


def _on_their_ways(way_edges: DataFrame) -> DataFrame:
    """Each socket on a way but its sender: stream, socket."""
    ends = [way_edges.selectExpr("stream", f"{end} as socket") for end in ("from_socket", "to_socket")]
    return ends[0].unionByName(ends[1]).where("socket != stream").distinct()


def _rows(names: dict[str, str]) -> Iterable[tuple[str, str]]:
    leaders: dict[str, str] = {}
    for stream in sorted(names):
        leaders.setdefault(names[stream], stream)
    return [(stream, leaders[root]) for stream, root in names.items()]


class _Meeting:
    """Who belongs together, as trees: the root of each stands for all in it (union-find, with paths halved)."""

    def __init__(self) -> None:
        self.streams: set[str] = set()
        self._above: dict[str, str] = {}

    def root(self, stream: str) -> str:
        self.streams.add(stream)
        return self._root(f"stream {stream}")

    def meet(self, stream: str, socket: str) -> None:
        one, other = self.root(stream), self._root(f"socket {socket}")
        self._above[other] = one

    def _root(self, name: str) -> str:
        above = self._above
        above.setdefault(name, name)
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name
