"""One page of a list that changes: by the places of those in it, not by how many were told before."""

import heapq
from collections.abc import Iterable
from operator import itemgetter
from typing import TypeVar

from hopwatch_agent.live.asking import Key, PageAsked

T = TypeVar("T")

_place = itemgetter(0)


def page_of(found: Iterable[tuple[Key, T]], page: PageAsked) -> tuple[list[T], Key | None]:
    """Those asked for, in the order of their places, and the place of the last of them if there are more.

    Who stays is told once, whoever opens and goes between two pages.
    """
    left = found if page.after is None else (each for each in found if each[0] > page.after)
    if page.limit is None:
        return [one for _, one in sorted(left, key=_place)], None
    chosen = heapq.nsmallest(page.limit + 1, left, key=_place)
    after = chosen[page.limit - 1][0] if len(chosen) > page.limit else None
    return [one for _, one in chosen[: page.limit]], after
