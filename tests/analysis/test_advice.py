"""What each piece of advice costs and buys: in messages, seconds and memory, where the figures are known."""

from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

import pytest
from hopwatch_analysis.report.advice import advice
from hopwatch_analysis.report.incident import Incident, KilledForMemory

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
BURST = Incident(
    sender="feed",
    receiver="desk",
    sender_type="PUB",
    receiver_type="SUB",
    sender_end="open",
    receiver_end="open",
    cause="hwm_too_low",
    exact=False,
    started_at=NOON,
    ended_at=NOON,
    lost=3000,
    runs=18,
    longest=180,
    onsets=1,
    streams=("a1",),
    stream_labels=("feed",),
    transport="tcp",
    sndhwm=100,
    rcvhwm=50,
    mean_rate=500.0,
    asked_rate=800.0,
    capacity=1000.0,
    largest_burst=2400,
    mean_bytes=1000.0,
)
UNMEASURED = {"mean_rate": None, "asked_rate": None, "capacity": None, "mean_bytes": None}


def advised(**facts: Any) -> str:
    return " ".join(advice(replace(BURST, **facts)))


def test_a_mark_is_raised_by_what_the_largest_burst_lost_and_twice_that() -> None:
    text = advised()
    assert "Raise SNDHWM of feed from 100 to at least 5000" in text
    assert "the 100 that it held and the 2400 that the largest burst on this hop lost" in text


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


def test_what_a_lower_mark_of_a_sender_that_waits_bounds() -> None:
    text = advised(cause="sender_died", sender_type="PUSH", sndhwm=5000, lost=3000)
    assert "A lower SNDHWM (now 5000, about 5.6 MB for each peer)" in text
    assert "at 300, no more than 300 (about 336 kB)" in text
    assert "waits or is refused" in text


def test_a_lower_mark_saves_nothing_where_what_has_no_room_is_dropped() -> None:
    text = advised(cause="sender_died", sndhwm=5000)
    assert "A lower SNDHWM (now 5000, about 5.6 MB for each peer) would not have saved them" in text
    assert "drops" in text


def test_what_a_lower_mark_of_a_receiver_bounds_and_how_soon_its_sender_is_full() -> None:
    text = advised(cause="receiver_died", rcvhwm=2000, lost=2000, sender_connects=True)
    assert "A lower RCVHWM (now 2000, about 2.2 MB for each peer)" in text
    assert "at 200, no more than 200 (about 224 kB)" in text
    assert "2.2 s sooner" in text
    assert "drops" in text


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"sender_connects": False}, "as it is bound"),
        ({"sender_connects": None}, "if it is bound"),
        ({"sender_connects": True, "immediate": 1}, "as ZMQ_IMMEDIATE is on there"),
    ],
)
def test_where_the_senders_queue_goes_with_the_receiver_its_mark_counts_too(
    facts: dict[str, Any], why: str
) -> None:
    text = advised(cause="receiver_died", rcvhwm=1000, sndhwm=10_000, lost=9000, **facts)
    assert f"what is queued for it at feed is lost with it, {why}, up to SNDHWM (now 10000" in text
    assert "together they hold up to 11000" in text
    assert "no more than" not in text
    assert "make feed drop the sooner, and save nothing" in text
    waits = advised(cause="receiver_died", sender_type="PUSH", rcvhwm=1000, sndhwm=10_000, lost=9000, **facts)
    assert "let fewer be lost so, and sends of feed wait the sooner" in waits


def test_a_mark_that_let_less_wait_than_was_lost_is_no_example_of_what_bounds_that() -> None:
    assert "no more than" not in advised(cause="receiver_died", rcvhwm=1000, lost=9000, sender_connects=True)


def test_where_the_kernel_may_hold_all_that_was_lost_a_lower_mark_is_not_said_to_bound_it() -> None:
    text = advised(cause="receiver_died", rcvhwm=1000, lost=500, mean_bytes=20.0)
    assert "A lower RCVHWM (now 1000, at least 64 kB for each peer) alone may not make it less" in text
    assert "these were 10 kB in all" in text
    assert "bounds" not in text
    assert "bounds" in advised(
        cause="receiver_died", rcvhwm=1000, lost=500, mean_bytes=20.0, transport="ipc", sender_connects=True
    )


def test_a_handful_of_messages_needs_no_example() -> None:
    assert "no more than" not in advised(cause="receiver_died", rcvhwm=2000, lost=3, sender_connects=True)


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


def test_without_rates_no_mark_is_said_to_do_in_place_of_conflating() -> None:
    text = advised(**CONFLATED | UNMEASURED)
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


def test_what_the_queues_of_a_process_killed_for_memory_may_take() -> None:
    killed = KilledForMemory(1, 64_000_000)
    sender = advised(cause="sender_died", sndhwm=50_000, sender_killed=killed)
    assert "more memory (now 64 MB; with one full queue more about 120 MB)" in sender
    assert "50000 messages of 1 kB, about 56 MB for each peer" in sender
    receiver = advised(cause="receiver_died", receiver_killed=killed)
    assert "more memory (now 64 MB), or lower marks: a queue takes up to 50 messages of 1 kB" in receiver


def test_no_figure_is_told_of_a_process_that_may_not_be_the_one_that_was_killed() -> None:
    killed = KilledForMemory(3, 64_000_000)
    assert "more memory (now 64 MB), or" in advised(cause="sender_died", sndhwm=50_000, sender_killed=killed)


def test_a_mark_of_0_bounds_nothing() -> None:
    killed = KilledForMemory(1, None)
    text = advised(cause="sender_died", sender_type="PUSH", sndhwm=0, sender_killed=killed)
    assert "now 0, unlimited" in text
    assert "its queues have no bound" in text


CLOSED = {"cause": "closed", "sender_end": "closed", "rcvhwm": 50, "lost": 150}


def test_what_a_receiver_has_to_hold_of_a_sender_that_closes_over_ipc() -> None:
    text = advised(**CLOSED, transport="ipc", sender_type="PUSH", receiver_type="PULL")
    assert (
        "here 200, as many as it holds and the 150 that were lost behind those (about 224 kB at desk)" in text
    )
    assert "Or use tcp, which keeps what is unread." in text


def test_over_ipc_with_no_mark_there_is_none_to_raise() -> None:
    assert "RCVHWM" not in advised(**CLOSED | {"rcvhwm": 0}, transport="ipc")


@pytest.mark.parametrize("transport", ["tcp", "inproc", "unknown", None])
@pytest.mark.parametrize("types", [("PUSH", "PULL"), ("PUB", "SUB"), ("DEALER", "ROUTER")])
def test_a_mark_is_to_be_raised_for_a_sender_that_closes_over_ipc_alone(
    transport: str | None, types: tuple[str, str]
) -> None:
    text = advised(**CLOSED, transport=transport, sender_type=types[0], receiver_type=types[1])
    assert "should be at least" not in text
    assert "use tcp" not in text
    assert ("Read desk until" in text) is not (transport == "tcp" and types[0] == "DEALER")


@pytest.mark.parametrize(
    ("sender_type", "words"),
    [
        ("PUSH", "RCVHWM of desk does not decide this: over tcp, what feed passed on before it closed stays to be read."),
        ("PUB", "stays to be read, unless desk subscribes or unsubscribes before it has read that."),
        ("DEALER", "Let feed read what desk sends it until the answer to its last message has come, and close then."),
    ],
)  # fmt: skip
def test_why_no_mark_helps_over_tcp(sender_type: str, words: str) -> None:
    assert words in advised(**CLOSED, transport="tcp", sender_type=sender_type)


def test_over_inproc_what_was_sent_stays_to_be_read() -> None:
    text = advised(**CLOSED, transport="inproc")
    assert "over inproc, what feed sent before it closed stays to be read" in text


@pytest.mark.parametrize("transport", ["tcp", "ipc"])
def test_a_linger_that_ends_is_named(transport: str) -> None:
    text = advised(**CLOSED, transport=transport, linger=500)
    assert "LINGER of feed is 500 ms: what it has not passed on so long after its close it throws away." in text  # fmt: skip
    assert "LINGER" not in advised(**CLOSED, transport=transport, linger=-1)
    assert "LINGER" not in advised(**CLOSED, transport="inproc", linger=500)


KEPT = "feed keeps up to its SNDHWM of what is queued or sent meanwhile"


@pytest.mark.parametrize("sender_type", ["PUB", "XPUB", "PUSH", "DEALER"])
def test_a_sender_that_connected_is_said_to_keep_what_waits_for_the_connection(sender_type: str) -> None:
    text = advised(cause="reconnect", sender_type=sender_type, sender_connects=True)
    assert f"what is in its buffers is lost. As the end that connected, {KEPT}" in text
    assert "with ZMQ_IMMEDIATE it does not" in text
    more = "a higher mark keeps more, at 3100 all that it dropped of these (about 3.5 MB while it is full)"
    assert (more in text) is (sender_type in {"PUB", "XPUB"})


def test_a_higher_mark_is_no_advice_on_a_cut_where_no_full_pipe_was_met() -> None:
    text = advised(cause="reconnect", sender_type="PUB", sender_connects=True, onsets=0)
    assert "What finds no room there it drops." in text
    assert "higher mark" not in text


@pytest.mark.parametrize("sender_connects", [True, None])
def test_with_immediate_a_sender_that_connected_keeps_nothing(sender_connects: bool | None) -> None:
    text = advised(cause="reconnect", sender_type="PUB", sender_connects=sender_connects, immediate=1)
    assert (
        "as ZMQ_IMMEDIATE is on at feed, so is what is queued at feed for it, and what is sent meanwhile"
        in text
    )
    assert "higher mark" not in text


@pytest.mark.parametrize(
    ("sender_type", "lost"),
    [
        ("PUB", "what is queued at feed for it, and what is sent meanwhile."),
        ("PUSH", "what is queued at feed for it."),
    ],
)
def test_a_sender_that_is_bound_is_said_to_lose_its_queue_and_only_one_that_drops_what_is_sent_meanwhile(
    sender_type: str, lost: str
) -> None:
    text = advised(cause="reconnect", sender_type=sender_type, sender_connects=False)
    assert f"what is in its buffers is lost and, as feed is bound, so is {lost}" in text
    assert "SNDHWM" not in text


def test_of_a_sender_of_which_it_is_not_known_who_connected_both_are_said() -> None:
    text = advised(cause="reconnect", sender_connects=None)
    assert f"If feed is bound, so is what is queued at feed for it, and what is sent meanwhile; if it connected, {KEPT}" in text  # fmt: skip


@pytest.mark.parametrize("sender_type", ["PAIR", "REQ", "PROXY", None])
def test_of_other_types_no_more_is_said_than_that_it_may_be_lost(sender_type: str | None) -> None:
    text = advised(cause="reconnect", sender_type=sender_type, sender_connects=True)
    assert "what is in its buffers is lost, and what is sent meanwhile may be." in text


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


@pytest.mark.parametrize("linger", [0, 20])
def test_how_long_sending_what_was_lost_would_have_taken(linger: int) -> None:
    text = advised(**CLOSED, transport="tcp", linger=linger)
    assert "the 150 that were lost, 150 ms at the 1000 messages/s that desk was seen to read" in text
    assert "ms at the" not in advised(**CLOSED | UNMEASURED, transport="tcp", linger=linger)


def test_who_may_stand_between_the_ends_is_to_be_instrumented_first() -> None:
    told = advice(replace(BURST, transport="unknown"))
    assert told[0].startswith("Instrument who stands between feed and desk, if anybody does")
    assert told[1:] == advice(BURST)


def test_what_a_sender_has_to_keep_for_a_connection_that_comes_back() -> None:
    assert "(here 3000 were missing: about 3 MB)" in advised(cause="reconnect")


@pytest.mark.parametrize("cause", ["hwm_too_low", "slow_receiver", "network", "sender_died", "receiver_died", "conflated", "oversize", "closed", "reconnect"])  # fmt: skip
def test_no_figure_is_made_up(cause: str) -> None:
    text = advised(cause=cause, **UNMEASURED, sndhwm=None, rcvhwm=None, conflated_at="sender", maxmsgsize=10)
    assert "None" not in text
    assert "nan" not in text
