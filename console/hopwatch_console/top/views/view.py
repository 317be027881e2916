"""What every tab is."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hopwatch_console.fleet.picture import Picture
from hopwatch_console.lines import Line
from hopwatch_console.top.columns import Column

T = TypeVar("T")


@dataclass(frozen=True)
class View(Generic[T]):
    """One tab: its columns, and functions of its items. ``key`` stays the same from picture to picture."""

    title: str
    columns: Sequence[Column[T]]
    items: Callable[[Picture], Sequence[T]]
    count: Callable[[Picture], int]
    """How many items there are, without making them."""
    key: Callable[[T], str]
    details: Callable[[T, Picture, int], Iterator[Line]]
    searched: Callable[[T], str]
    """The text that a filter looks through."""
    line: Callable[[T], str]
    """The most that is to be said of the row that the cursor is on, in one line."""
    empty: str
    """What is said where there is nothing."""
    newest: Callable[[T], Any] | None = None
    """What the newest has the largest of: the order before any other is asked for; else it is that of the first column."""


def chosen(view: View[T], picture: Picture, words: str) -> list[T]:
    """The items that hold every one of these words, in any case."""
    wanted = words.casefold().split()
    items = view.items(picture)
    if not wanted:
        return list(items)
    return [item for item in items if all(word in view.searched(item).casefold() for word in wanted)]


@dataclass(frozen=True)
class Order:
    """By which column, and whether the other way round than usual. Column None: as the view comes."""

    column: int | None = None
    reversed: bool = False


def in_order(view: View[T], items: list[T], order: Order) -> list[T]:
    """Sorted."""
    if order.column is None:
        by, falling = (view.newest, True) if view.newest is not None else (view.columns[0].order, False)
    else:
        column = view.columns[order.column]
        by, falling = column.order, column.falling
    if by is None:
        return items
    return sorted(items, key=by, reverse=falling != order.reversed)
