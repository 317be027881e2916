"""Sums that hold in every report: of each row of the ledger, of each hop, and of the hops that meet at a proxy."""

from collections import Counter
from typing import Any

Json = dict[str, Any]
TERMS = ("delivered", "lost", "in_flight", "unexplained")


def that_do_not_add_up(report: Json) -> list[str]:
    """Rows with a negative number, or of which sent is not the sum of the rest; hops out of a proxy along which more was sent than came to it."""
    rows = [(f"{row['name']} to {row['receiver_name']}", row) for row in report["ledger"]]
    rows += [(hop["hop"], hop) for hop in report["hops"]]
    return [_told(name, row) for name, row in rows if not _is_sum(row)] + _passed_on_from_nowhere(report)


def _is_sum(row: Json) -> bool:
    rest = [row[term] for term in TERMS]
    return bool(min(row["sent"], *rest) >= 0 and row["sent"] == sum(rest))


def _passed_on_from_nowhere(report: Json) -> list[str]:
    ends = [(*hop["hop"].split(" → "), hop) for hop in report["hops"]]
    came: Counter[str] = Counter()
    for _, receiver, hop in ends:
        came[receiver] += hop["delivered"]
    return [
        f"{_told(hop['hop'], hop)}, of {came[sender]} that came to {sender}"
        for sender, _, hop in ends
        if hop["from"]["type"] == "PROXY" and hop["sent"] > came[sender]
    ]


def _told(name: str, row: Json) -> str:
    return f"{name}: " + ", ".join(f"{term} {row[term]}" for term in ("sent", *TERMS))
