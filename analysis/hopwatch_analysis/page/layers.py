"""Layers of a graph that may have cycles: which column each node stands in, and in which order within it."""

from collections import defaultdict
from collections.abc import Sequence

Pair = tuple[str, str]
SWEEPS = 6


def columns(nodes: Sequence[str], forward: Sequence[Pair]) -> dict[str, int]:
    """The column of each node: to the right of all that lead to it, and near to what it leads to; edges have no cycle."""
    after: dict[str, list[str]] = defaultdict(list)
    waiting: dict[str, int] = defaultdict(int)
    for left, right in dict.fromkeys(forward):
        after[left].append(right)
        waiting[right] += 1
    place = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if not waiting[node]]
    for node in ready:
        for right in after[node]:
            place[right] = max(place[right], place[node] + 1)
            waiting[right] -= 1
            if not waiting[right]:
                ready.append(right)
    for node in reversed(ready):
        if after[node]:
            place[node] = min(place[right] for right in after[node]) - 1
    return place


def turned(edge: Pair, back: set[Pair]) -> Pair:
    """The edge from left to right, whichever way the messages go."""
    return (edge[1], edge[0]) if edge in back else edge


def in_order(layers: Sequence[Sequence[str]], neighbours: dict[str, list[str]]) -> list[list[str]]:
    """Each layer sorted by where its neighbours stand, so that few edges cross."""
    ordered = [list(layer) for layer in layers]
    for sweep in range(SWEEPS):
        indexes = range(1, len(ordered)) if sweep % 2 == 0 else range(len(ordered) - 2, -1, -1)
        for index in indexes:
            beside = ordered[index - 1 if sweep % 2 == 0 else index + 1]
            rank = {node: place for place, node in enumerate(beside)}
            middle = {
                node: _middle(neighbours[node], rank, otherwise=place)
                for place, node in enumerate(ordered[index])
            }
            ordered[index].sort(key=middle.__getitem__)
    return ordered


def _middle(neighbours: Sequence[str], rank: dict[str, int], *, otherwise: int) -> float:
    places = [rank[node] for node in neighbours if node in rank]
    return sum(places) / len(places) if places else float(otherwise)


def back_edges(nodes: Sequence[str], edges: Sequence[Pair]) -> set[Pair]:
    """Edges that close a cycle, found by going depth first from where nothing leads to."""
    after: dict[str, list[str]] = defaultdict(list)
    for left, right in edges:
        after[left].append(right)
    led_to = {right for _, right in edges}
    back: set[Pair] = set()
    done: set[str] = set()
    for start in sorted(nodes, key=lambda node: node in led_to):
        path: dict[str, int] = {}
        stack = [start] if start not in done else []
        while stack:
            node = stack[-1]
            step = path.setdefault(node, 0)
            path[node] += 1
            if step >= len(after[node]):
                done.add(node)
                path.pop(stack.pop())
                continue
            following = after[node][step]
            if following in path:
                back.add((node, following))
            elif following not in done:
                stack.append(following)
    return back
