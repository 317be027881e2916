"""What is advised on what ended: a process, a socket or a connection."""

from typing import Any

import pytest
from hopwatch_judge import KilledForMemory
from plain_incidents import NOON, UNMEASURED, advised


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
    assert text == advised(cause="reconnect", sender_type=sender_type, sender_connects=False, immediate=1)
    assert "SNDHWM" not in text


def test_of_a_sender_of_which_it_is_not_known_who_connected_both_are_said() -> None:
    text = advised(cause="reconnect", sender_connects=None)
    assert f"If feed is bound, so is what is queued at feed for it, and what is sent meanwhile; if it connected, {KEPT}" in text  # fmt: skip


@pytest.mark.parametrize("sender_type", ["PAIR", "REQ", "PROXY", None])
def test_of_other_types_no_more_is_said_than_that_it_may_be_lost(sender_type: str | None) -> None:
    text = advised(cause="reconnect", sender_type=sender_type, sender_connects=True)
    assert "what is in its buffers is lost, and what is sent meanwhile may be." in text


@pytest.mark.parametrize("linger", [0, 20])
def test_how_long_sending_what_was_lost_would_have_taken(linger: int) -> None:
    text = advised(**CLOSED, transport="tcp", linger=linger)
    assert "the 150 that were lost, 150 ms at the 1000 messages/s that desk was seen to read" in text
    assert "ms at the" not in advised(**CLOSED | UNMEASURED, transport="tcp", linger=linger)


def test_what_a_sender_has_to_keep_for_a_connection_that_comes_back() -> None:
    assert "(here 3000 were missing: about 3 MB)" in advised(cause="reconnect")


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"downs": 2}, "Find out why the connection of feed → desk went down; what is in its buffers"),
        ({"downs": None}, "Find out why the connection of feed → desk went down;"),
        ({"downs": 0}, "why feed was not connected to desk, or to who was there before;"),
        ({"transport": "unknown"}, "why a connection of feed to somebody who is not known went down;"),
        ({"transport": "unknown", "downs": 2}, "why the connection of feed → desk went down;"),
        ({"took_over_at": NOON}, "why the proxy ended in whose place feed came; what it still had is lost"),
    ],
)
def test_what_to_find_out_of_a_cut(facts: dict[str, Any], why: str) -> None:
    assert why in advised(cause="reconnect", **facts)


@pytest.mark.parametrize(
    ("facts", "more"),
    [
        ({}, "more memory (now 1 GB), or lower marks: a queue takes up to 50 messages"),
        ({"rcvhwm": None}, "more memory (now 1 GB), or lower marks: a queue takes its mark times"),
        ({"mean_bytes": None}, "more memory (now 1 GB), or lower marks: a queue takes its mark times"),
        (
            {"mean_bytes": 5.0, "rcvhwm": 1},
            "more memory (now 1 GB), or lower marks: a queue takes up to 1 messages of 5 bytes, at least 64 bytes",
        ),
        ({"receiver_killed": KilledForMemory(1, None)}, "more memory, or lower marks"),
        ({"receiver_killed": None}, "Find out why the process of desk ended."),
    ],
)
def test_what_a_receiver_needs_that_was_killed_for_memory(facts: dict[str, Any], more: str) -> None:
    text = advised(**{"cause": "receiver_died", "receiver_killed": KilledForMemory(1, 10**9)} | facts)
    assert more in text
    assert ("more memory" in text) is ("memory" in more)


READ_FIRST = "Read desk until the sender has said that it is done"
LINGERS = "LINGER of feed is"


@pytest.mark.parametrize(
    ("facts", "said", "unsaid"),
    [
        ({"sender_end": "open"}, READ_FIRST, "RCVHWM"),
        ({"receiver_left_first": True}, READ_FIRST, "RCVHWM"),
        ({"sender_type": "REQ"}, READ_FIRST, "RCVHWM"),
        ({"linger": 1}, f"{LINGERS} 1 ms", "Set LINGER"),
        ({"linger": 0, "left_unread": True}, READ_FIRST, "LINGER"),
        ({"linger": 0, "lost": 9000}, "the 9000 that were lost, 9000 ms at the 1000 messages/s", LINGERS),
        ({"linger": 0, "lost": 1, "capacity": 5000.0}, "the 1 that were lost, 1 ms at", LINGERS),
    ],
)
def test_which_end_has_to_close_otherwise(facts: dict[str, Any], said: str, unsaid: str) -> None:
    text = advised(**CLOSED | {"transport": "tcp"} | facts)
    assert said in text
    assert unsaid not in text


SOONER = "s sooner, when nobody reads"


@pytest.mark.parametrize(
    ("facts", "said", "unsaid"),
    [
        ({"lost": 99}, "alone may not make it less: these were 99 kB in all", "bound"),
        ({"lost": 100}, "as it is bound, up to SNDHWM", "in all"),
        ({"lost": 1, "mean_bytes": None}, "as it is bound, up to SNDHWM", "in all"),
        ({"lost": 99, "transport": "ipc"}, "together they hold up to 150;", "in all"),
        ({"sndhwm": None}, "beside what the kernel holds; lower ones", "together"),
        ({"rcvhwm": 0}, "beside what the kernel holds; lower ones", "together"),
        ({"sender_connects": True, "rcvhwm": 3000}, "full the sooner for it (3.4 s sooner", "as it is"),
        ({"sender_connects": True, "rcvhwm": None}, "full the sooner for it, and drops.", SOONER),
        ({"sender_connects": True, "rcvhwm": 3000} | UNMEASURED, "the sooner for it, and drops.", SOONER),
        ({"sender_connects": True, "sender_type": "PUSH"}, "the sooner for it, and sends wait.", "drops"),
    ],
)
def test_what_lower_marks_do_for_a_receiver_that_dies(facts: dict[str, Any], said: str, unsaid: str) -> None:
    text = advised(**{"cause": "receiver_died", "sender_connects": False} | facts)
    assert said in text
    assert unsaid not in text
