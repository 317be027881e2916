"""Figures that may not be known: each answer is None, or False, where what it rests on is not known."""

from collections.abc import Iterable
from typing import TypeVar

Figure = TypeVar("Figure", int, float)


def highest(figures: Iterable[Figure | None]) -> Figure | None:
    """The highest of those that are known."""
    return max((each for each in figures if each is not None), default=None)


def lowest(figures: Iterable[Figure | None]) -> Figure | None:
    """The lowest of those that are known."""
    return min((each for each in figures if each is not None), default=None)


def first_of(*figures: Figure | None) -> Figure | None:
    """The first that is known."""
    return next((each for each in figures if each is not None), None)


def later_by(later: float | None, earlier: float | None) -> float | None:
    """Seconds between two times."""
    return None if later is None or earlier is None else later - earlier


def exceeds(figure: float | None, bound: float | None) -> bool:
    """Whether both are known, and the first is higher."""
    return figure is not None and bound is not None and figure > bound


def reaches(figure: float | None, bound: float | None) -> bool:
    """Whether both are known, and the first is no lower."""
    return figure is not None and bound is not None and figure >= bound
