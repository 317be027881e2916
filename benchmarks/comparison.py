"""Pairs of turns, bare and counted, and the ratio between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from load import Load
from throughput import pairs_of_rates

PAIRS_A_RUN = 25
"""Each run is two processes anew: how threads and memory happen to lie is another each time."""


@dataclass(frozen=True)
class Comparison:
    """A variant against bare pyzmq: rates in messages per second, ratios of the two turns of each pair."""

    variant: str
    load: Load
    bare_rates: tuple[float, ...]
    rates: tuple[float, ...]

    @property
    def ratios(self) -> list[float]:
        return sorted(rate / bare for rate, bare in zip(self.rates, self.bare_rates, strict=True))

    @property
    def ratio(self) -> float:
        return median(self.ratios)

    @property
    def quartiles(self) -> tuple[float, float]:
        quarter = len(self.ratios) // 4
        return self.ratios[quarter], self.ratios[-1 - quarter]


def compare(variant: str, load: Load, pairs: int, progress: Callable[[str], None]) -> Comparison:
    """So many pairs of turns, in as many runs as it takes."""
    rates: list[tuple[float, float]] = []
    while len(rates) < pairs:
        for pair in pairs_of_rates(variant, load, min(PAIRS_A_RUN, pairs - len(rates))):
            rates.append(pair)
            progress(f"{load.name}, {variant}: pair {len(rates)} of {pairs}")
    bare, counted = zip(*rates, strict=True)
    return Comparison(variant, load, bare, counted)
