"""What the truth itself says cannot be known: a score leaves it out, and so has to say how much it is."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class LeftOut:
    """Of all hops, causes and rows of the ledger, those that are not knowable, and the messages lost on them."""

    hops: int = 0
    all_hops: int = 0
    lost_on_hops: int = 0
    causes: int = 0
    all_causes: int = 0
    lost_by_causes: int = 0
    rows: int = 0
    all_rows: int = 0
    lost_in_rows: int = 0
    why: Counter[str] = field(default_factory=Counter)
    """Rows by what makes them unknowable."""
    why_causes: Counter[str] = field(default_factory=Counter)

    def add(self, truth: Json) -> None:
        """Count those of one truth."""
        causes = [each for hop in truth["hops"] for each in hop["causes"]]
        hops, unknown_causes, rows = (_unknowable(told) for told in (truth["hops"], causes, truth["ledger"]))
        self.all_hops += len(truth["hops"])
        self.all_causes += len(causes)
        self.all_rows += len(truth["ledger"])
        self.hops += len(hops)
        self.causes += len(unknown_causes)
        self.rows += len(rows)
        self.lost_on_hops += _lost(hops)
        self.lost_by_causes += _lost(unknown_causes)
        self.lost_in_rows += _lost(rows)
        self.why.update(reason for row in rows for reason in row["unknowable_by"])
        self.why_causes.update(reason for each in unknown_causes for reason in each["unknowable_by"])


def _unknowable(told: list[Json]) -> list[Json]:
    return [each for each in told if not each["knowable"]]


def _lost(told: list[Json]) -> int:
    return sum(each["lost"] for each in told)
