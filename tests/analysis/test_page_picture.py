"""The picture of the topology: nothing hides anything else, and each hop leads from left to right where it can."""

from collections.abc import Iterable
from itertools import combinations

import pytest
from hopwatch_analysis.page.graph import Graph, graph_of
from hopwatch_analysis.page.picture import BOX_WIDTH, Picture, picture_of
from hopwatch_analysis.report.records import Hop
from report_records import fleet, hop, node, three_hops


def hops(*pairs: str, lost: Iterable[str] = ()) -> list[Hop]:
    """Hops as in "a→b"; proxies begin with p."""
    ends = [pair.split("→") for pair in pairs]
    nodes = {name: node(name, "PROXY" if name[0] == "p" else "PAIR") for pair in ends for name in pair}
    return [hop(nodes[a], nodes[b], lost=5 if f"{a}→{b}" in lost else 0) for a, b in ends]


def columns_of(picture: Picture) -> dict[str, float]:
    return {placed.box.name: placed.x for placed in picture.boxes}


PICTURES = {
    "3 hops": three_hops().hops,
    "300 hops": fleet().hops,
    "most of 300 hops are lossy": fleet(lossy=280).hops,
    "both ways": hops("a→b", "b→a"),
    "a ring": hops("a→b", "b→c", "c→a"),
    "around a proxy": hops("a→p1", "p1→p2", "p2→b", "p1→b", "a→b"),
    "apart": hops("a→b", "c→d", "e→p1", "p1→f"),
    "from many to one": hops(*(f"a{number}→p" for number in range(25)), "p→z"),
    "everyone to everyone": hops(*(f"a{one}→b{other}" for one in range(9) for other in range(9))),
    "none": [],
}


@pytest.mark.parametrize("found", PICTURES.values(), ids=PICTURES)
def test_no_box_hides_another_or_leaves_the_picture(found: list[Hop]) -> None:
    picture = picture_of(graph_of(found))
    for one, other in combinations(picture.boxes, 2):
        beside = abs(one.x - other.x) >= BOX_WIDTH
        above = one.y + one.height <= other.y or other.y + other.height <= one.y
        assert beside or above, (one, other)
    assert all(box.x >= 0 and box.x + BOX_WIDTH <= picture.width for box in picture.boxes)
    assert all(box.y >= 0 and box.y + box.height <= picture.height for box in picture.boxes)


@pytest.mark.parametrize("found", PICTURES.values(), ids=PICTURES)
def test_no_figure_hides_another(found: list[Hop]) -> None:
    drawn = picture_of(graph_of(found)).hops
    for one, other in combinations(drawn, 2):
        assert abs(one.y - other.y) >= 12 or abs(one.x - other.x) >= 60, (one, other)


@pytest.mark.parametrize("found", PICTURES.values(), ids=PICTURES)
def test_every_message_is_drawn_or_told_of(found: list[Hop]) -> None:
    graph: Graph = graph_of(found)
    assert sum(edge.hops for edge in graph.edges) + graph.elsewhere == len(found)
    assert sum(edge.lost for edge in graph.edges) + graph.lost_elsewhere == sum(hop.lost for hop in found)
    assert len(graph.edges) <= 60


def test_messages_run_from_left_to_right() -> None:
    x = columns_of(picture_of(graph_of(PICTURES["around a proxy"])))
    assert x["a"] < x["p1"] < x["p2"] < x["b"]


def test_of_two_ways_one_runs_back() -> None:
    drawn = picture_of(graph_of(PICTURES["both ways"])).hops
    assert [hop.backward for hop in drawn] == [False, True]


def test_the_way_to_a_lossy_hop_is_drawn_and_the_rest_is_folded() -> None:
    others = [f"p2→c{number}" for number in range(40)]
    graph = graph_of(hops("a→p1", "p1→p2", "p2→b", *others, "x→y", lost=["p2→b"]))
    assert [(edge.source, edge.target) for edge in graph.edges if edge.hop is not None] == [
        ("a", "p1"),
        ("p1", "p2"),
        ("p2", "b"),
    ]
    assert [box.name for box in graph.boxes if box.folds] == ["40 other receivers"]
    assert graph.elsewhere == 1


def test_a_proxy_that_is_connected_to_itself_is_told_of() -> None:
    graph = graph_of(hops("a→p", "p→p", "p→b"))
    assert (len(graph.edges), graph.elsewhere) == (2, 1)
