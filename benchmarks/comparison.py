"""Pairs of runs, bare and counted, and the ratio between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from load import Load
from throughput import messages_per_second
from variants import BARE


@dataclass(frozen=True)
class Comparison:
    """A variant against bare pyzmq: rates in messages per second, ratios of the two runs of each pair."""

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
    """Every other pair begins with the bare run, the others end with it."""
    rates: dict[str, list[float]] = {"bare": [], "counted": []}
    for pair in range(pairs):
        runs = [("bare", BARE), ("counted", variant)]
        for side, name in runs if pair % 2 == 0 else reversed(runs):
            rates[side].append(messages_per_second(name, load))
        progress(f"{load.name}, {variant}: pair {pair + 1} of {pairs}")
    return Comparison(variant, load, tuple(rates["bare"]), tuple(rates["counted"]))
