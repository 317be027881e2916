"""What limits a connection, by two readings of its sending end."""

from typing import Any

import pytest
from hopwatch_agent.kernel.limits import confirmed, limit_of
from hopwatch_agent.kernel.records import Limit, Tcp

BEFORE = Tcp(
    rtt_us=100,
    min_rtt_us=5,
    segment_size=1448,
    unsent=0,
    send_window=1_000_000,
    retransmissions=7,
    segments_sent=1000,
    bytes_acknowledged=1_000_000,
    busy_us=5_000_000,
    receiver_limited_us=1_000_000,
    send_buffer_limited_us=0,
)
# each as seen in one second between two namespaces
LOSSY: dict[str, Any] = {"retransmissions": 192, "segments_sent": 3334, "busy_us": 476_000, "unsent": 240_142}
SLOW_LINK: dict[str, Any] = {"segments_sent": 540, "busy_us": 1_000_000, "unsent": 649_259, "rtt_us": 79_633}
FULL_WINDOW: dict[str, Any] = {
    "segments_sent": 400,
    "bytes_acknowledged": 372_736,
    "busy_us": 1_000_000,
    "receiver_limited_us": 1_000_000,
    "unsent": 507_958,
    "rtt_us": 8_394,
    "send_window": 201_728,
}
LOSSY_AND_SMALL: dict[str, Any] = {
    "retransmissions": 27,
    "segments_sent": 197,
    "bytes_acknowledged": 246_160,
    "busy_us": 1_000_000,
    "receiver_limited_us": 724_000,
    "unacknowledged": 3,
    "unsent": 391_998,
    "rtt_us": 1_209,
    "send_window": 4_344,
}
UNREAD_HERE = Tcp(receive_queue=5000, busy_us=0, receiver_limited_us=0)
ALL_READ, UNREAD = Tcp(receive_queue=0), Tcp(receive_queue=4000)
COUNTS = {
    "retransmissions",
    "segments_sent",
    "bytes_acknowledged",
    "busy_us",
    "receiver_limited_us",
    "send_buffer_limited_us",
}


def after(seen: dict[str, Any]) -> Tcp:
    values = {name: getattr(BEFORE, name) for name in Tcp.__struct_fields__}
    grown = {name: values[name] + more if name in COUNTS else more for name, more in seen.items()}
    return Tcp(**{**values, **grown})


@pytest.mark.parametrize(
    ("limit", "seen", "peer"),
    [
        ("neither", {}, None),
        ("neither", {"busy_us": 76_000, "segments_sent": 6559}, None),
        ("neither", {"busy_us": 96_000, "segments_sent": 7114, "retransmissions": 342}, None),
        ("network", LOSSY, None),
        ("network", LOSSY, ALL_READ),
        ("network", SLOW_LINK, None),
        ("unknown", {**SLOW_LINK, "rtt_us": 100, "unsent": 0}, None),
        # all that there was to send is on its way: acknowledged late, by a receiver that is waited for or by a far one
        ("unknown", {**SLOW_LINK, "unsent": 0}, None),
        ("network", {**SLOW_LINK, "unsent": 0, "send_buffer_limited_us": 76_000}, None),
        ("unknown", {**SLOW_LINK, "receiver_limited_us": 300_000}, None),
        ("network", {**SLOW_LINK, "receiver_limited_us": 300_000}, ALL_READ),
        ("receiver", {**SLOW_LINK, "receiver_limited_us": 300_000}, UNREAD),
        ("receiver", FULL_WINDOW, None),
        ("receiver", {**FULL_WINDOW, "retransmissions": 3}, None),
        ("receiver", {**FULL_WINDOW, "retransmissions": 9, "send_window": 0}, None),
        ("receiver", {**FULL_WINDOW, "send_window": 0}, ALL_READ),
        ("unknown", {**FULL_WINDOW, "send_window": 0, "unacknowledged": 3, "rtt_us": 400_000}, None),
        # a window of three segments on a lossy link: what is lost fills it
        ("unknown", LOSSY_AND_SMALL, None),
        ("unknown", LOSSY_AND_SMALL, ALL_READ),
        ("receiver", LOSSY_AND_SMALL, UNREAD),
        ("receiver", FULL_WINDOW, UNREAD),
        # as much under way as the window lets: a receiver that reads at once, or one that does not, by this end alone
        ("unknown", {**FULL_WINDOW, "rtt_us": 400_000}, None),
        ("network", {**FULL_WINDOW, "rtt_us": 400_000}, ALL_READ),
        ("unknown", FULL_WINDOW, ALL_READ),
    ],
)
def test_what_limits_a_connection(limit: str, seen: dict[str, Any], peer: Tcp | None) -> None:
    found = limit_of(BEFORE, after(seen), 1.0, peer)
    assert found.by == limit
    assert found.evidence


@pytest.mark.parametrize(
    ("told", "before"),
    [("network", "network"), ("unknown", None), ("unknown", "neither"), ("unknown", "receiver")],
)
def test_the_way_is_the_limit_once_two_spans_in_a_row_say_so(told: str, before: str | None) -> None:
    """Of 60 slow receivers some lost 2 % of the segments in their first second, with a window full for 28 % of it."""
    assert confirmed(Limit("network", ("seen",)), before).by == told


@pytest.mark.parametrize("by", ["receiver", "neither", "unknown"])
def test_another_limit_is_told_at_once(by: str) -> None:
    assert confirmed(Limit(by), None) == Limit(by)


def test_bytes_that_lie_unread_at_this_end_are_its_own_doing() -> None:
    found = limit_of(UNREAD_HERE, UNREAD_HERE, 1.0, None)
    assert (found.by, found.evidence) == ("receiver", ("5000 bytes have arrived here and were not read",))


def test_the_evidence_has_the_figures() -> None:
    assert limit_of(BEFORE, after(LOSSY), 1.0, None).evidence == (
        "something to send in 48% of the time",
        "the other end's window full in 0% of that",
        "192 retransmissions of 3334 segments",
        "rtt 0.1 ms, at best 0.005 ms",
        "240142 bytes unsent",
    )


@pytest.mark.parametrize("before", [BEFORE, Tcp()])
def test_an_old_kernel_or_too_short_a_time_tells_nothing(before: Tcp) -> None:
    assert limit_of(before, Tcp(rtt_us=5), 1.0, None).by == "unknown"
    assert limit_of(before, after(LOSSY), 0.01, None).by == "unknown"
