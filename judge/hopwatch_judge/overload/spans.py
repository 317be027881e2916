"""Arithmetic on spans of time."""

from collections.abc import Iterable


def seconds(since: float, until: float) -> float:
    """Return the length of a span, to the microsecond: times are no finer, and floats of them are coarse."""
    return round(until - since, 6)


def spanned(spans: Iterable[tuple[float, float]]) -> float | None:
    """Return how many seconds spans cover, in the order of their beginnings; None where there are none."""
    covered: float | None = None
    over_at = float("-inf")
    for since, until in spans:
        covered = (covered or 0.0) + max(0.0, until - max(since, over_at))
        over_at = max(over_at, until)
    return covered
