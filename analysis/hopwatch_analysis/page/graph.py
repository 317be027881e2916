"""Which hops the picture shows: all of them, or the lossy ones with their ways, and the others folded together."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hopwatch_analysis.page.wording import several, severity
from hopwatch_analysis.report.records import Hop

MOST_DRAWN = 30
WORST_DRAWN = 20
FEW = 3
"""As many neighbours of a drawn node are drawn one by one."""

NAMED = 20
"""As many hops of those that are folded together are named."""


@dataclass(frozen=True)
class Box:
    """A socket, a proxy, or several of them folded together (``folds`` of them)."""

    key: str
    name: str
    about: str
    is_proxy: bool = False
    folds: int = 0


@dataclass(frozen=True)
class Edge:
    """A hop, or ``hops`` of them folded together, from box to box; ``hop`` is its place in the report."""

    source: str
    target: str
    sent: int
    delivered: int
    lost: int
    in_flight: int
    unexplained: int
    about: str
    hops: int = 1
    hop: int | None = None

    @property
    def severity(self) -> str:
        return severity(self.sent, self.lost, self.unexplained)


@dataclass(frozen=True)
class Graph:
    """What is drawn, and how many hops are not in it at all."""

    boxes: Sequence[Box]
    edges: Sequence[Edge]
    elsewhere: int = 0
    lost_elsewhere: int = 0


def graph_of(hops: Sequence[Hop]) -> Graph:
    """The picture's boxes and edges; a hop from a proxy to itself is none of them."""
    drawable = dict.fromkeys(
        index for index, hop in enumerate(hops) if hop.sender.label != hop.receiver.label
    )
    drawn = set(drawable) if len(drawable) <= MOST_DRAWN else _worst_with_ways(hops, list(drawable))
    inside = {end for index in drawn for end in (hops[index].sender.label, hops[index].receiver.label)}
    folded: dict[tuple[str, str], list[Hop]] = defaultdict(list)
    elsewhere = []
    for index, hop in enumerate(hops):
        if index in drawn:
            continue
        if index in drawable and hop.sender.label in inside:
            folded["receiver", hop.sender.label].append(hop)
        elif index in drawable and hop.receiver.label in inside:
            folded["sender", hop.receiver.label].append(hop)
        else:
            elsewhere.append(hop)
    beside = {("receiver", hops[index].sender.label) for index in drawn}
    beside |= {("sender", hops[index].receiver.label) for index in drawn}
    folds = [_fold(*place, group, others=place in beside) for place, group in folded.items()]
    return Graph(
        boxes=[*_boxes(hops[index] for index in sorted(drawn)), *(box for box, _ in folds)],
        edges=[*(_edge(hops[index], index) for index in sorted(drawn)), *(edge for _, edge in folds)],
        elsewhere=len(elsewhere),
        lost_elsewhere=sum(hop.lost for hop in elsewhere),
    )


def _worst_with_ways(hops: Sequence[Hop], drawable: Sequence[int]) -> set[int]:
    """The worst hops, what leads to them, and what leads on from there, while there is room."""
    by_badness = sorted(drawable, key=lambda index: _badness(hops[index]))
    bad = [index for index in by_badness if hops[index].lost or hops[index].unexplained]
    chosen = set((bad or by_badness)[:WORST_DRAWN])
    _follow(hops, drawable, chosen, lambda hop: hop.receiver.label, lambda hop: hop.sender.label)
    _follow(hops, drawable, chosen, lambda hop: hop.sender.label, lambda hop: hop.receiver.label)
    return chosen


def _follow(hops: Sequence[Hop], drawable: Sequence[int], chosen: set[int], near: Callable[[Hop], str],
            far: Callable[[Hop], str]) -> None:  # fmt: skip
    """Add hops whose near end is drawn, where they are few there, and go on from their far ends."""
    at_node: dict[str, list[int]] = defaultdict(list)
    for index in drawable:
        at_node[near(hops[index])].append(index)
    nodes = list(dict.fromkeys(far(hops[index]) for index in sorted(chosen)))
    for node in nodes:
        more = [index for index in at_node[node] if index not in chosen]
        if len(more) > FEW or len(chosen) + len(more) > MOST_DRAWN:
            continue
        chosen.update(more)
        nodes.extend(end for end in (far(hops[index]) for index in more) if end not in nodes)


def _badness(hop: Hop) -> tuple[int, int, int, str]:
    return -hop.lost, -hop.unexplained, -hop.sent, hop.label


def _boxes(hops: Iterable[Hop]) -> Iterable[Box]:
    ends = {end.label: end for hop in hops for end in (hop.sender, hop.receiver)}
    for label, end in ends.items():
        about = " · ".join(part for part in (end.type, end.host) if part)
        yield Box(label, label, about or "not known", end.type == "PROXY")


def _edge(hop: Hop, index: int) -> Edge:
    return Edge(
        source=hop.sender.label,
        target=hop.receiver.label,
        sent=hop.sent,
        delivered=hop.delivered,
        lost=hop.lost,
        in_flight=hop.in_flight,
        unexplained=hop.unexplained,
        about=f"{hop.label}, {hop.transport}",
        hop=index,
    )


def _fold(side: str, node: str, hops: Sequence[Hop], *, others: bool) -> tuple[Box, Edge]:
    ends = [hop.receiver if side == "receiver" else hop.sender for hop in hops]
    hosts = {end.host for end in ends if end.host}
    count = len({end.label for end in ends})
    key = f"\0{side} {node}"
    box = Box(
        key,
        several(count, f"other {side}" if others else side),
        f"on {several(len(hosts), 'host')}",
        folds=count,
    )
    edge = Edge(
        source=node if side == "receiver" else key,
        target=key if side == "receiver" else node,
        sent=sum(hop.sent for hop in hops),
        delivered=sum(hop.delivered for hop in hops),
        lost=sum(hop.lost for hop in hops),
        in_flight=sum(hop.in_flight for hop in hops),
        unexplained=sum(hop.unexplained for hop in hops),
        about=", ".join(hop.label for hop in hops[:NAMED]) + (", …" if len(hops) > NAMED else ""),
        hops=len(hops),
    )
    return box, edge
