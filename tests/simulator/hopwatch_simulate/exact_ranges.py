"""Ranges of numbers that a report is exact about, held against what became of just these messages."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

Json = dict[str, Any]
Lane = tuple[str, int]
Range = tuple[int, int]
RANGE = re.compile(r"(\d+)-(\d+)")


def not_lost_so(losses: Iterable[Json], truth: Json) -> Iterator[tuple[Json, int]]:
    """Each row of the table of losses that is exact about a range, and how many of its messages were not lost on that hop by that cause."""
    sides = {
        socket: min(end["sockets"])
        for hop in truth["hops"]
        for end in _ends(hop)
        for socket in end["sockets"]
    }
    lost: dict[tuple[str, str, str], dict[Lane, list[Range]]] = defaultdict(lambda: defaultdict(list))
    for hop in truth["hops"]:
        sender, receiver = (str(min(end["sockets"])) for end in _ends(hop))
        for each in hop["causes"]:
            for found in each["ranges"]:
                lane = found["stream"], found["lane"]
                lost[sender, receiver, each["cause"]][lane].append((found["first"], found["last"]))
    for told in losses:
        numbers = RANGE.fullmatch(told["mark"] or "")
        if told["certainty"] != "exact" or told["cause"] in ("in_flight", "unexplained") or numbers is None:
            continue
        one, other = (
            str(sides.get(told[end] or "", told[end] or "")) for end in ("from_socket", "to_socket")
        )
        true = lost[one, other, told["cause"]][told["stream"], told["lane"]]
        first, last = int(numbers[1]), int(numbers[2])
        yield told, last - first + 1 - _within(first, last, true)


def _ends(hop: Json) -> tuple[Json, Json]:
    return hop["from"], hop["to"]


def _within(first: int, last: int, ranges: list[Range]) -> int:
    """How many of the numbers are in any of the ranges, which do not overlap."""
    return sum(max(0, min(last, end) - max(first, begin) + 1) for begin, end in {*ranges})
