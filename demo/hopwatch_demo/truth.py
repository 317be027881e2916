"""The truth, by the payload numbers that the subscribers wrote down, and whether a report equals it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOSSY_HOP = "proxy → slow"


@dataclass(frozen=True)
class Truth:
    """Messages sent, and received by each subscriber."""

    sent: int
    received: dict[str, int]

    def missing(self, subscriber: str) -> int:
        return self.sent - self.received[subscriber]


def read_truth(folder: Path, subscribers: tuple[str, ...]) -> Truth:
    received = {name: len(set((folder / f"{name}.received").read_text().split())) for name in subscribers}
    return Truth(int((folder / "quotes.sent").read_text()), received)


def differences(report_path: Path, truth: Truth) -> list[str]:
    """Every way in which the report differs from the truth, as a sentence each; none if it is right."""
    report = json.loads(report_path.read_text())
    return [*_ledger_differences(report, truth), *_hop_differences(report, truth)]


def _ledger_differences(report: dict[str, Any], truth: Truth) -> list[str]:
    rows = {row["receiver_name"]: row for row in report["ledger"]}
    found = []
    for name, received in truth.received.items():
        row = rows.get(name)
        if row is None:
            found.append(f"the ledger does not know {name}")
            continue
        expected = {"sent": truth.sent, "delivered": received, "lost": truth.missing(name)}
        expected |= {"in_flight": 0, "unexplained": 0}
        found += [
            f"{name}: {term} is {row[term]:,} in the report, {value:,} in truth"
            for term, value in expected.items()
            if row[term] != value
        ]
    return found


def _hop_differences(report: dict[str, Any], truth: Truth) -> list[str]:
    reported = {hop["hop"]: hop["lost"] for hop in report["hops"]}
    expected = dict.fromkeys(reported, 0) | {LOSSY_HOP: truth.missing("slow")}
    return [
        f"hop {hop}: {reported.get(hop, 0):,} lost in the report, {lost:,} in truth"
        for hop, lost in expected.items()
        if reported.get(hop, 0) != lost
    ]
