"""A report against the truth: every figure equal, nothing unexplained, the right hops and causes."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopwatch_simulate.sums import that_do_not_add_up
from truth import Truth

TERMS = ("sent", "delivered", "lost", "in_flight", "unexplained")


@dataclass(frozen=True)
class Way:
    """A stream and a receiver that is owed its messages: all topics, or some. ``lost`` where a stream is shared out."""

    sender: str
    receiver: str
    topics: tuple[str, ...] | None = None
    lost_of_share: int | None = None

    def ledger_row(self, truth: Truth) -> dict[str, int]:
        delivered = len(truth.got(self.receiver, self.sender))
        lost = self.lost_of_share
        if lost is None:
            lost = len(truth.missing(self.sender, self.receiver, self.topics))
        return dict(zip(TERMS, (delivered + lost, delivered, lost, 0, 0), strict=True))


Losses = Mapping[tuple[str, str], int]
"""Messages lost by hop and cause."""

Told = Collection[tuple[str, str]]
"""Hops and causes."""


def true_findings(truth: Truth, ways: Sequence[Way], losses: Losses) -> dict[str, Any]:
    by_hop: Counter[str] = Counter()
    for (hop, _), lost in losses.items():
        by_hop[hop] += lost
    return {
        "ledger": {f"{way.sender} to {way.receiver}": way.ledger_row(truth) for way in ways},
        "over last hops": _over_last_hops(truth, ways, by_hop),
        "lost by hop": dict(by_hop),
        "lost by hop and cause": {f"{hop}, {cause}": lost for (hop, cause), lost in losses.items()},
        "unexplained on hops": 0,
        "in flight on hops": 0,
    }


def _over_last_hops(truth: Truth, ways: Sequence[Way], lost_by_hop: Mapping[str, int]) -> dict[str, Any]:
    """What was sent to each receiver by whoever is next to it, and delivered: what was lost before that is not among it."""
    sums = {way.receiver: Counter[str]() for way in ways}
    for way in ways:
        delivered = len(truth.got(way.receiver, way.sender))
        sums[way.receiver].update(sent=delivered, delivered=delivered)
    for hop, lost in lost_by_hop.items():
        if (receiver := receiver_of(hop)) in sums:
            sums[receiver]["sent"] += lost
    return {receiver: dict(amounts) for receiver, amounts in sums.items()}


def receiver_of(hop: str) -> str:
    """The end of a hop that messages go to."""
    return hop.rsplit(" → ", maxsplit=1)[-1]


def reported_findings(report: dict[str, Any]) -> dict[str, Any]:
    lost_by_hop: Counter[str] = Counter()
    lost_by_cause: Counter[str] = Counter()
    known = (row["receiver_name"] for row in report["ledger"] if row["receiver_name"] is not None)
    over_last_hops = {receiver: Counter[str]() for receiver in known}
    for hop in report["hops"]:
        lost_by_hop[hop["hop"]] += hop["lost"]
        if (receiver := receiver_of(hop["hop"])) in over_last_hops:
            over_last_hops[receiver].update(sent=hop["sent"], delivered=hop["delivered"])
    for incident in report["incidents"]:
        lost_by_cause[f"{incident['hop']}, {incident['cause']}"] += incident["lost"]
    return {
        "ledger": {
            f"{row['name']} to {row['receiver_name']}": {term: row[term] for term in TERMS}
            for row in report["ledger"]
        },
        "over last hops": {receiver: dict(amounts) for receiver, amounts in over_last_hops.items()},
        "lost by hop": {hop: lost for hop, lost in lost_by_hop.items() if lost},
        "lost by hop and cause": dict(lost_by_cause),
        "unexplained on hops": sum(hop["unexplained"] for hop in report["hops"]),
        "in flight on hops": sum(hop["in_flight"] for hop in report["hops"]),
    }


def assert_balanced(report: dict[str, Any]) -> None:
    """Every row of the ledger and every hop: sent = delivered + lost + in flight + unexplained, none of them negative; no proxy passes on
    more than came to it.
    """
    assert that_do_not_add_up(report) == []


def certainties(report: dict[str, Any]) -> dict[str, set[tuple[str, str]]]:
    """Return the hops and causes of incidents by certainty: "exact" and "inferred"."""
    return {
        certainty: {
            (item["hop"], item["cause"]) for item in report["incidents"] if item["certainty"] == certainty
        }
        for certainty in ("exact", "inferred")
    }


def assert_exact(report: dict[str, Any], surely: Told) -> None:
    """What numbers prove is told so."""
    told = certainties(report)
    assert set(surely) <= told["exact"] - told["inferred"], f"told {told}, surely {surely}"


def assert_advised(report: dict[str, Any], texts: Mapping[str, str]) -> None:
    """The advice on each of these causes contains the text, on every hop."""
    for cause, text in texts.items():
        told = [" ".join(each["advice"]) for each in report["incidents"] if each["cause"] == cause]
        assert told
        assert all(text in advice for advice in told), told


def assert_everybody_known(report: dict[str, Any]) -> None:
    """All senders of a scenario are wrapped: no receiver got messages from nobody who is known."""
    assert [row for row in report["not_checked"] if row["reason"] == "unknown_sender"] == []


def assert_intended(truth: Truth, ways: Sequence[Way], losses: Losses) -> None:
    """Messages were lost wherever the scenario means it, and every receiver got some, none of them twice."""
    assert all(lost > 0 for lost in losses.values())
    assert all(truth.got(way.receiver, way.sender) for way in ways)
    assert truth.duplicates() == 0
