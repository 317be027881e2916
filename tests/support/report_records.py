"""Analyses made by hand, as large as a test of the page wants them."""

from datetime import datetime, timedelta, timezone

from hopwatch_analysis.incidents.timeline import HOPS_SHOWN
from hopwatch_analysis.report.records import (
    Analysis,
    Fault,
    Finding,
    Hop,
    LedgerRow,
    LostEvents,
    Node,
    Unchecked,
)
from hopwatch_analysis.terms.buckets import HopHistory, Timeline, buckets_of
from hopwatch_judge import Incident

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
LATER = NOON + timedelta(seconds=50)
BUCKETS = buckets_of(NOON, LATER)


def node(name: str, type_: str, host: str = "box") -> Node:
    return Node(host, f"process of {name}", f"id of {name}", name, name, type_)


def hop(sender: Node, receiver: Node, sent: int = 12_000, lost: int = 0, unexplained: int = 0) -> Hop:
    return Hop(sender, receiver, "tcp", sent, sent - lost - unexplained, lost, 0, unexplained)


def row(stream: str, receiver: str, sent: int = 12_000, lost: int = 0, unexplained: int = 0) -> LedgerRow:
    causes = {"slow_receiver": lost, "unexplained": unexplained}
    return LedgerRow(
        f"id of {stream}",
        stream,
        stream,
        f"id of {receiver}",
        receiver,
        receiver,
        sent,
        sent - lost - unexplained,
        lost,
        0,
        unexplained,
        {cause: count for cause, count in causes.items() if count},
    )


def incident(lossy: Hop, cause: str = "slow_receiver") -> Incident:
    return Incident(
        sender=lossy.sender.label,
        receiver=lossy.receiver.label,
        sender_type=lossy.sender.type,
        receiver_type=lossy.receiver.type,
        sender_end="open",
        receiver_end="open",
        cause=cause,
        exact=lossy.sender.type == "PUB",
        started_at=NOON + timedelta(seconds=5),
        ended_at=NOON + timedelta(seconds=41),
        lost=lossy.lost,
        runs=7,
        longest=max(lossy.lost // 4, 1),
        onsets=5,
        streams=("a1",),
        stream_labels=("quotes",),
        transport="tcp",
        sndhwm=1000,
        rcvhwm=100,
        mean_rate=1626.0,
        capacity=471.0,
        downs=1,
    )


def history(of: Hop) -> HopHistory:
    """Three humps of losses, where there are any."""
    weights = [max(0, 9 - abs(bucket % 17 - 8)) for bucket in range(BUCKETS.count)]
    lost = [of.lost * weight // sum(weights) for weight in weights]
    lost[8] += of.lost - sum(lost)
    return HopHistory(
        hop=of.label,
        lost=tuple(lost),
        onsets=tuple(2 if count and bucket % 3 == 0 else 0 for bucket, count in enumerate(lost)),
        reconnects=tuple(1 if of.lost and bucket == 30 else 0 for bucket in range(BUCKETS.count)),
        sent=tuple(of.sent // BUCKETS.count + 9 * weight for weight in weights),
        received=None
        if of.receiver.type == "PROXY"
        else tuple(of.delivered // BUCKETS.count for _ in weights),
    )


def analysis_of(hops: list[Hop], ledger: list[LedgerRow]) -> Analysis:
    """All that follows from hops (the worst first) and ledger."""
    hops = sorted(hops, key=lambda one: -one.lost)
    return Analysis(
        NOON,
        LATER,
        tuple(hops),
        tuple(ledger),
        tuple(incident(one) for one in hops if one.lost),
        (),
        timeline=Timeline(
            BUCKETS, [history(one) for one in hops[:HOPS_SHOWN]], max(len(hops) - HOPS_SHOWN, 0)
        ),
    )


def three_hops(lost: int = 7500) -> Analysis:
    """A publisher, a proxy, and a slow and a fast subscriber."""
    quotes, proxy = node("quotes", "PUB"), node("proxy", "PROXY")
    slow, fast = node("slow", "SUB", "desk"), node("fast", "SUB", "desk")
    return analysis_of(
        [hop(quotes, proxy), hop(proxy, slow, lost=lost), hop(proxy, fast)],
        [row("quotes", "slow", lost=lost), row("quotes", "fast")],
    )


def fleet(hops: int = 300, lossy: int = 12) -> Analysis:
    """Publishers, two proxies, workers behind one and desks behind the other; some of either lose messages."""
    exchange, relay = node("exchange", "PROXY", "hub-1"), node("relay", "PROXY", "hub-2")
    feeds = [node(f"feed-{i}", "PUB", f"gate-{i}") for i in range(4)]
    found = [hop(feed, exchange, 90_000) for feed in feeds] + [hop(exchange, relay, 360_000, unexplained=25)]
    rows = []
    for number in range(hops - len(found)):
        behind, kind = (relay, "desk") if number % 3 else (exchange, "worker")
        end = node(f"{kind}-{number:03}", "SUB", f"rack-{number % 9}")
        lost = min(40 * (number + 7) ** 2, 240_000 - number) if number < lossy else 0
        found.append(hop(behind, end, 360_000, lost=lost))
        rows.append(row(feeds[number % 4].name, end.name, 360_000, lost=lost))
    return analysis_of(found, rows)


def nothing_checked() -> Analysis:
    """Only counts, unreadable input, and a finding."""
    unstamped = Unchecked("unstamped", "a1", "quotes", "b2", "slow", 100, 90, 10)
    return Analysis(
        NOON,
        LATER,
        (),
        (),
        (),
        (Finding("a1", "quotes", "uneven_marks", "RCVHWM is 10 here and 1000 there.", "Set both alike."),),
        skipped=(("/landed/kind=gap/x.parquet", "no readable Parquet file: too short"),),
        unchecked=(unstamped,),
        faults=(Fault(NOON, "box", "p", None, "/run/a.events, byte 7: half a line"),),
        fault_count=3,
        lost_events=(LostEvents("box", "p", "python app.py", 4, 3),),
    )
