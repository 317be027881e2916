"""Columns of a table: what they show, what they are sorted by, and how they share the width that there is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

GAP = 1
"""Cells between two columns."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """``weight`` is its share of the width that is left, ``place`` when it goes where there is too little: the largest first."""

    title: str
    width: int
    text: Callable[[T], str]
    order: Callable[[T], Any] | None = None
    place: int = 0
    weight: int = 0
    right: bool = False
    style: Callable[[T], str] | str = ""
    falling: bool = False
    """Whether the largest comes first when it is sorted by."""
    of_several: bool = False
    """Whether it says nothing where there is one agent."""


def shared_out(columns: Sequence[Column[T]], width: int) -> list[tuple[Column[T], int]]:
    """The columns that are shown, in their order, each with its width."""
    shown = list(columns)
    while len(shown) > 1 and _least(shown) > width:
        shown.remove(max(shown, key=lambda column: column.place))
    left = max(0, width - _least(shown))
    weights = sum(column.weight for column in shown)
    shares = []
    for column in shown:
        more = left * column.weight // weights if weights else 0
        left -= more
        weights -= column.weight
        shares.append((column, column.width + more))
    return shares


def _least(columns: Sequence[Column[T]]) -> int:
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)
