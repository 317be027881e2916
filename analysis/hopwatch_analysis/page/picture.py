"""The topology as a picture: where each box stands, and how each hop runs from one to the next."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hopwatch_analysis.page.graph import Box, Edge, Graph
from hopwatch_analysis.page.layers import Pair, back_edges, columns, in_order, turned
from hopwatch_analysis.page.wording import percent, several

BOX_WIDTH, BOX_HEIGHT = 164, 46
PER_PORT = 19
COLUMN_GAP, ROW_GAP = 182, 16
MARGIN = 12
STRAIGHT = 126
"""How far a hop runs level beside the box where its figures stand."""


@dataclass(frozen=True)
class Placed:
    """A box and its upper left corner."""

    box: Box
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Drawn:
    """A hop's path, and where its figures are written (``anchor`` as SVG has it)."""

    edge: Edge
    path: str
    text: str
    x: float
    y: float
    anchor: str
    backward: bool


@dataclass(frozen=True)
class Picture:
    """All that is drawn, in pixels."""

    width: float
    height: float
    boxes: Sequence[Placed]
    hops: Sequence[Drawn]


@dataclass
class _Node:
    """A box, or a bend of a hop that passes a column by. ``left`` and ``right``: the hops at its ports from the top, by number,
    and where they lead to.
    """

    box: Box | None
    height: float
    x: float = 0
    y: float = 0
    left: dict[int, str] = field(default_factory=dict)
    right: dict[int, str] = field(default_factory=dict)

    def port(self, number: int, side: dict[int, str]) -> float:
        return self.y + self.height * (list(side).index(number) + 0.5) / len(side)


def picture_of(graph: Graph) -> Picture:
    """The graph, laid out from left to right."""
    keys = [box.key for box in graph.boxes]
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    back = back_edges(keys, pairs)
    place = columns(keys, [turned(pair, back) for pair in pairs])
    nodes = {box.key: _Node(box, BOX_HEIGHT) for box in graph.boxes}
    chains = [_chain(turned(pair, back), number, nodes, place) for number, pair in enumerate(pairs)]
    _stand(nodes, place)
    drawn = [
        _drawn(edge, chain, number, nodes, backward=pair in back)
        for number, (edge, chain, pair) in enumerate(zip(graph.edges, chains, pairs, strict=True))
    ]
    placed = [Placed(node.box, node.x, node.y, node.height) for node in nodes.values() if node.box]
    return Picture(
        width=max((item.x + BOX_WIDTH for item in placed), default=0) + MARGIN,
        height=max((node.y + node.height for node in nodes.values()), default=0) + MARGIN,
        boxes=placed,
        hops=drawn,
    )


def figures(edge: Edge) -> str:
    """What a hop is labelled with."""
    if edge.lost:
        text = f"{edge.lost:,} lost ({percent(edge.lost, edge.sent)})"
        return f"{text}, {edge.unexplained:,} unexpl." if edge.unexplained else text
    if edge.unexplained:
        return f"{edge.unexplained:,} unexplained"
    return (
        f"{edge.delivered:,} passed" if edge.hop is not None else f"none lost on {several(edge.hops, 'hop')}"
    )


def _chain(pair: Pair, number: int, nodes: dict[str, _Node], place: dict[str, int]) -> list[str]:
    """The nodes that a hop runs through from left to right: a bend in each column that it passes by."""
    left, right = pair
    chain = [left]
    for column in range(place[left] + 1, place[right]):
        bend = f"\0bend {number} {column}"
        nodes[bend], place[bend] = _Node(None, PER_PORT), column
        chain.append(bend)
    chain.append(right)
    for near, far in pairwise(chain):
        nodes[near].right[number] = far
        nodes[far].left[number] = near
    return chain


def _stand(nodes: dict[str, _Node], place: dict[str, int]) -> None:
    """Give each node its column, its place within it, and its ports in the order of where they lead to."""
    count = max(place.values(), default=-1) + 1
    neighbours = {key: [*node.left.values(), *node.right.values()] for key, node in nodes.items()}
    layers = in_order([[key for key in nodes if place[key] == column] for column in range(count)], neighbours)
    rank = {key: number for layer in layers for number, key in enumerate(layer)}
    for node in nodes.values():
        for side in (node.left, node.right):
            ports = sorted(side.items(), key=lambda port: (rank[port[1]], port[0]))
            side.clear()
            side.update(ports)
        if node.box:
            node.height = max(BOX_HEIGHT, PER_PORT * max(len(node.left), len(node.right)))
    heights = [sum(nodes[key].height + ROW_GAP for key in layer) - ROW_GAP for layer in layers]
    for column, layer in enumerate(layers):
        y = MARGIN + (max(heights) - heights[column]) / 2
        for key in layer:
            nodes[key].x, nodes[key].y = MARGIN + column * (BOX_WIDTH + COLUMN_GAP), y
            y += nodes[key].height + ROW_GAP


def _drawn(
    edge: Edge, chain: Sequence[str], number: int, nodes: dict[str, _Node], *, backward: bool
) -> Drawn:
    """Level where it leaves and arrives, longer at the end with fewer hops: there its figures are written."""
    first, last = nodes[chain[0]], nodes[chain[-1]]
    at_end = len(last.left) <= len(first.right)
    stops = [(first.x + BOX_WIDTH, first.port(number, first.right))]
    stops += [
        (node.x + offset, node.y + node.height / 2)
        for node in (nodes[key] for key in chain[1:-1])
        for offset in (0, BOX_WIDTH)
    ]
    stops.append((last.x, last.port(number, last.left)))
    level = (stops[-1][0] - STRAIGHT, stops[-1][1]) if at_end else (stops[0][0] + STRAIGHT, stops[0][1])
    stops.insert(len(stops) - 1 if at_end else 1, level)
    x, y = stops[-1] if at_end else stops[0]
    return Drawn(
        edge=edge,
        path=_path(stops),
        text=figures(edge),
        x=round(x - 14 if at_end else x + 14, 1),
        y=round(y - 5, 1),
        anchor="end" if at_end else "start",
        backward=backward,
    )


def _path(stops: Sequence[tuple[float, float]]) -> str:
    parts = [f"M{stops[0][0]:.1f} {stops[0][1]:.1f}"]
    for (x1, y1), (x2, y2) in pairwise(stops):
        middle = (x1 + x2) / 2
        straight = f"L{x2:.1f} {y2:.1f}"
        parts.append(
            straight if y1 == y2 else f"C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
        )
    return "".join(parts)
