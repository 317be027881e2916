"""What each piece of advice costs and buys: in messages, seconds and memory, where the figures are known."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge import advice
from plain_incidents import BURST, UNMEASURED, advised


def test_a_mark_is_raised_by_what_the_largest_burst_lost_and_twice_that() -> None:
    text = advised()
    assert "Raise SNDHWM of feed from 100 to at least 5000" in text
    assert "the 100 that it held and the 2400 that the largest burst on this hop lost" in text
    assert "The receiver keeps up with the mean rate." in text
    assert "The receiver had caught up in between." in advised(capacity=None)


def test_what_a_higher_mark_costs_is_said_in_memory_and_in_seconds() -> None:
    assert (
        "4900 messages more, about 5.5 MB at feed for each peer that is so slow, and one may wait 5 s"
        in advised()
    )


def test_small_messages_take_more_than_their_bytes() -> None:
    assert "4900 messages more, at least 314 kB at feed" in advised(mean_bytes=20.0)


def test_what_is_not_known_of_the_cost_is_left_out() -> None:
    text = advised(**UNMEASURED)
    assert "4900 messages more." in text
    assert "MB" not in text


def test_a_mark_that_is_not_known_is_raised_all_the_same() -> None:
    assert "to at least twice the sum of what it is and 2400" in advised(sndhwm=None)


def test_over_inproc_the_marks_of_both_ends_add_up() -> None:
    text = advised(transport="inproc")
    assert "Raise SNDHWM of feed from 100 to at least 5050" in text
    assert "the 150 that both marks held" in text


@pytest.mark.parametrize("connects", [None, False])
def test_a_mark_is_set_before_the_bind_of_an_endpoint_that_would_keep_it(connects: bool | None) -> None:
    assert "Set it before bind" in advised(sender_connects=connects)
    assert "before bind" not in advised(sender_connects=True)
    assert "before bind" not in advised(sender_connects=connects, transport="inproc")


@pytest.mark.parametrize(("cause", "mark"), [("slow_receiver", "SNDHWM or RCVHWM"), ("network", "SNDHWM")])
def test_what_a_mark_that_only_delays_costs(cause: str, mark: str) -> None:
    text = advised(cause=cause, asked_rate=2000.0)
    assert f"each 1000 messages of {mark} last at most 1 s at these rates" in text
    assert "about 1.1 MB" in text
    assert "1 s later" in text


def test_rates_of_the_time_in_which_it_was_too_slow_are_those_that_count() -> None:
    text = advised(cause="slow_receiver", overload_rate=3000.0, overload_read=500.0)
    assert "it reads 500 messages/s, and gets sent 3000" in text
    assert "last 0.4 s" in text
    assert "on average" not in text


def test_rates_that_would_fit_are_no_reason_to_be_faster() -> None:
    assert "it reads" not in advised(cause="slow_receiver")
    assert "it reads 400 messages/s, and gets sent 800" in advised(cause="slow_receiver", capacity=400.0)


def test_a_router_is_told_how_it_would_know_that_a_peer_has_no_room() -> None:
    text = advised(cause="slow_receiver", sender_type="ROUTER")
    assert "set ROUTER_MANDATORY on feed" in text
    assert "subscribe" not in text
    assert "subscribe" not in advised(cause="network", sender_type="ROUTER")
    assert "subscribe to less" in advised(cause="slow_receiver")


def test_who_waits_for_subscriptions_is_told_that_an_xpub_reads_the_first_one_to_a_topic_only() -> None:
    assert "without ZMQ_XPUB_VERBOSE" in advised(cause="slow_joiner")


CONFLATED = {"cause": "conflated", "conflated_at": "receiver"}


def test_where_conflating_hid_a_receiver_that_is_too_slow_no_mark_is_advised() -> None:
    text = advised(**CONFLATED, asked_rate=1000.0, capacity=100.0)
    assert "do without ZMQ_CONFLATE on desk, and let desk read faster" in text
    assert "it was seen to read 100 messages/s at most, and gets sent 1000. While it reads no faster, no mark makes up for that" in text  # fmt: skip
    assert "each 1000 messages of SNDHWM or RCVHWM last at most 1.1 s" in text
    assert "at least" not in text


def test_how_large_a_mark_would_have_held_what_a_burst_lost_to_conflating() -> None:
    text = advised(**CONFLATED)
    assert "set SNDHWM of feed to at least 4800: twice what the largest burst on this hop lost" in text
    assert "(about 5.4 MB)" in text
    assert "at least 4800" in advised(**CONFLATED, asked_rate=1000.0, capacity=1000.0)


@pytest.mark.parametrize(("facts", "mark"), [({}, 560), (CONFLATED, 360)])
def test_where_no_burst_is_known_the_longest_run_stands_for_it(facts: dict[str, Any], mark: int) -> None:
    assert f"to at least {mark}" in advised(**facts, largest_burst=None)


@pytest.mark.parametrize("unknown", [UNMEASURED, {"capacity": None}, {"asked_rate": 0.0}])
def test_without_rates_no_mark_is_said_to_do_in_place_of_conflating(unknown: dict[str, Any]) -> None:
    text = advised(**CONFLATED | unknown)
    assert "of which nothing is known" in text
    assert "SNDHWM" not in text


FAR = {"cause": "network", "asked_rate": 1000.0, "capacity": 400.0, "min_rtt_us": 50_000, "rtt_us": 54_000}


def test_a_send_buffer_that_is_too_small_for_a_long_way_is_to_be_raised_and_not_the_bandwidth() -> None:
    text = advised(**FAR, sndbuf=16_384, rcvbuf=-1)
    assert "Raise SNDBUF of feed from 16384 to at least 100000 bytes before it binds or connects" in text
    assert "net.core.wmem_max), or leave it unset (-1)" in text
    assert "takes 50 ms at best; 50 kB are sent in that time" in text
    assert "bandwidth" not in text


def test_of_two_small_buffers_the_smaller_one_is_named() -> None:
    assert "Raise RCVBUF of desk from 4096" in advised(**FAR, sndbuf=16_384, rcvbuf=4096)


@pytest.mark.parametrize(
    "buffers", [{}, {"sndbuf": -1, "rcvbuf": -1}, {"sndbuf": 131_072}, {"rcvbuf": 50_000}]
)
def test_a_buffer_that_holds_enough_or_is_the_kernels_own_is_not_to_blame(buffers: dict[str, int]) -> None:
    assert "more bandwidth" in advised(**FAR, **buffers)


def test_where_less_gets_through_than_the_buffer_holds_that_is_not_the_limit() -> None:
    text = advised(**FAR | {"asked_rate": 2000.0, "capacity": 500.0}, sndbuf=65_536)
    assert "more bandwidth" in text
    assert "SNDBUF" not in text


def test_where_packets_are_lost_the_buffer_is_not_to_blame() -> None:
    text = advised(**FAR, sndbuf=4096, retransmissions=30, segments_sent=1000)
    assert "loses packets" in text
    assert "SNDBUF" not in text


def test_that_nobody_knows_the_largest_message_is_said() -> None:
    text = advised(cause="oversize", maxmsgsize=65_536)
    assert "1 kB on average" in text
    assert "how large the largest was is not known" in text


def test_how_large_the_largest_message_was_that_was_too_large() -> None:
    text = advised(cause="oversize", maxmsgsize=65_536, largest_then=80_000)
    assert (
        "1 kB on average, and one that it sent when desk hung up had about 80 kB, by the bytes that" in text
    )


def test_what_a_queue_full_of_the_largest_message_takes() -> None:
    asked = {"cause": "oversize", "maxmsgsize": 65_536, "rcvhwm": 1000}
    assert "a queue of 1000 (RCVHWM) full of such takes 80 MB." in advised(**asked, largest_then=80_000)
    assert "RCVHWM" not in advised(**asked)
    assert "RCVHWM" not in advised(**asked | {"rcvhwm": 0}, largest_then=80_000)


def test_how_much_bandwidth_is_wanted_and_how_much_there_was() -> None:
    text = advised(cause="network", asked_rate=2000.0)
    assert "more bandwidth: 16 Mbit/s are sent to desk, of which 8 Mbit/s got through at most." in text
    assert "more bandwidth." in advised(cause="network", **UNMEASURED)


def test_how_many_segments_a_lossy_network_sent_again() -> None:
    text = advised(cause="network", retransmissions=30, segments_sent=1000)
    assert "loses packets: 30 of all 1000 segments on this hop were sent again (3.0%)." in text


@pytest.mark.parametrize("cause", ["slow_joiner", "unroutable"])
def test_what_it_takes_to_keep_messages_until_somebody_can_take_them(cause: str) -> None:
    assert "to keep the 3000 that were lost for it takes about 3 MB" in advised(cause=cause)
    assert "to keep" not in advised(cause=cause, mean_bytes=None)


def test_who_may_stand_between_the_ends_is_to_be_instrumented_first() -> None:
    told = advice(replace(BURST, transport="unknown"))
    assert told[0].startswith("Instrument who stands between feed and desk, if anybody does")
    assert told[1:] == advice(BURST)


@pytest.mark.parametrize("cause", ["hwm_too_low", "slow_receiver", "network", "sender_died", "receiver_died", "conflated", "oversize", "closed", "reconnect"])  # fmt: skip
def test_no_figure_is_made_up(cause: str) -> None:
    text = advised(cause=cause, **UNMEASURED, sndhwm=None, rcvhwm=None, conflated_at="sender", maxmsgsize=10)
    assert "None" not in text
    assert "nan" not in text


@pytest.mark.parametrize(
    ("reasons", "first"),
    [
        (("routing_id_alone",), "Let feed send at least one frame behind the routing id"),
        (("no_peer", "routing_id_alone"), "Set ROUTER_MANDATORY on feed"),
        ((), "Set ROUTER_MANDATORY on feed"),
    ],
)
def test_what_a_router_has_to_do_so_that_its_messages_have_a_taker(
    reasons: tuple[str, ...], first: str
) -> None:
    assert advised(cause="unroutable", reasons=reasons).startswith(first)


@pytest.mark.parametrize(
    ("facts", "said", "unsaid"),
    [
        ({"retransmissions": 10, "segments_sent": 1000}, "loses packets: 10 of all 1000", "bandwidth"),
        ({"retransmissions": 9, "segments_sent": 1000}, "more bandwidth: 8 Mbit/s", "packets"),
        ({"retransmissions": 30}, "more bandwidth: 8 Mbit/s", "packets"),
        ({"retransmissions": 0, "segments_sent": 0}, "more bandwidth: 8 Mbit/s", "packets"),
        ({}, "8 Mbit/s are sent to desk, of which 3.2 Mbit/s got through at most.", "Raise"),
        ({"asked_bytes": 500.0}, "4 Mbit/s are sent to desk, of which 1.6 Mbit/s", "Raise"),
        ({"capacity": None}, "8 Mbit/s are sent to desk.", "got through"),
        ({"capacity": 1000.0}, "8 Mbit/s are sent to desk.", "got through"),
        ({"asked_rate": 0.0, "sndbuf": 1}, "more bandwidth.", "Raise"),
        ({"mean_bytes": None, "sndbuf": 1}, "more bandwidth.", "Raise"),
        ({"min_rtt_us": None, "sndbuf": 1}, "more bandwidth:", "Raise"),
        ({"capacity": None, "sndbuf": 40_000}, "Raise SNDBUF of feed from 40000", "bandwidth"),
        ({"sndbuf": 25_000}, "Raise SNDBUF of feed from 25000", "bandwidth"),
        ({"sndbuf": 25_001}, "more bandwidth:", "Raise"),
        ({"sndbuf": 0}, "more bandwidth:", "Raise"),
    ],
)
def test_what_a_network_is_found_to_lack(facts: dict[str, Any], said: str, unsaid: str) -> None:
    text = advised(**FAR | facts)
    assert said in text
    assert unsaid not in text


@pytest.mark.parametrize(
    ("facts", "knows"),
    [
        ({"asked_rate": 1001.0}, True),
        ({"asked_rate": 1000.0}, False),
        ({"capacity": None}, False),
        ({"capacity": 0.0}, False),
        ({"asked_rate": None, "mean_rate": None}, False),
    ],
)
def test_rates_are_told_of_a_receiver_that_is_sent_more_than_it_reads(
    facts: dict[str, Any], knows: bool
) -> None:
    text = advised(cause="slow_receiver", **facts)
    assert ("it reads 1000 messages/s, and gets sent 1001" in text) is knows
    assert ("lasts until the pipe is full again" in text) is not knows
