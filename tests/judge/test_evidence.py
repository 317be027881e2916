"""What each cause shows of an incident: a table of facts, the kinds of evidence they make, and its words."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hopwatch_judge import KilledForMemory, Place, evidence
from plain_incidents import BURST, NOON, UNMEASURED

Facts = dict[str, Any]
PIPE = ("onset", "rates")


def shown(cause: str, **facts: Any) -> tuple[tuple[str, ...], str]:
    """The kinds of what is shown beside what is missing, and all texts."""
    missing, *items = evidence(replace(BURST, cause=cause, **facts))
    assert missing["kind"] == "missing"
    return tuple(item["kind"] for item in items), " | ".join(item["text"] for item in items)


FULL_PIPES: list[tuple[Facts, str]] = [
    ({"runs": 1}, "the run begins exactly at a message that met a full pipe at feed"),
    ({}, "1 of 18 runs begins exactly"),
    ({"onsets": 2}, "2 of 18 runs begin exactly"),
    ({"onsets": 0}, "the pipe of feed cannot be probed"),
    ({}, "sent at 500 messages/s on average, its pauses included; in all, desk is sent 800/s on average; the receiver was seen to read at up to 1000/s"),
    ({"asked_rate": 504.0}, "its pauses included; the receiver was seen"),
    ({"mean_rate": None}, "the sender's mean rate is not known; in all, desk is sent 800/s"),
    ({"capacity": None}, "how fast desk can read is not known"),
    (UNMEASURED, "neither the sender's rate nor the receiver's could be measured"),
    ({}, "SNDHWM of feed is 100, RCVHWM of desk is 50"),
    ({"sndhwm": 0, "rcvhwm": None}, "SNDHWM of feed is 0 (unlimited), RCVHWM of desk is not known"),
    ({"sent_on": 3.0}, "feed went on sending for up to 3.0 s after its pipe was full"),
]  # fmt: skip


@pytest.mark.parametrize("cause", ["slow_receiver", "hwm_too_low", "network"])
@pytest.mark.parametrize(("facts", "words"), FULL_PIPES)
def test_of_a_full_pipe(cause: str, facts: Facts, words: str) -> None:
    kinds, text = shown(cause, **facts)
    assert words in text
    assert {"onset", "elimination"} & set(kinds)
    assert "rates" in kinds


@pytest.mark.parametrize("facts", [{"sent_on": 0.05}, {"sent_on": 3.0, "exact": True}, {}])
def test_of_a_pipe_that_had_no_time_to_be_lost_otherwise(facts: Facts) -> None:
    assert "sent_on" not in shown("slow_receiver", **facts)[0]


@pytest.mark.parametrize(
    ("cause", "facts", "kinds", "words"),
    [
        ("slow_receiver", {}, (*PIPE, "marks"), ""),
        ("slow_receiver", {"sndhwm": None, "rcvhwm": None}, PIPE, ""),
        ("slow_receiver", {"overload_rate": 3000.0}, (*PIPE, "marks"), ""),
        ("slow_receiver", {"overload_read": 500.0}, (*PIPE, "marks"), ""),
        ("slow_receiver", {"overload_rate": 3000.0, "overload_read": 500.0}, (*PIPE, "overload", "marks"),
         "for more than 10 s, desk was sent 3000 messages/s in all, and read at most 500/s"),
        ("slow_receiver", {"window_was_full": True}, (*PIPE, "tcp", "marks"), "desk was the limit: it did not read"),
        ("hwm_too_low", {}, (*PIPE, "marks"), ""),
        ("hwm_too_low", {"loss_share": 0.002}, (*PIPE, "bursts", "marks"), "span less than 1 % of the time"),
        ("hwm_too_low", {"loss_share": 0.01}, (*PIPE, "bursts", "marks"), "span 1 % of the time"),
        ("hwm_too_low", {"loss_share": 0.5}, (*PIPE, "bursts", "marks"), "span 50 % of the time"),
        ("hwm_too_low", {"capacity": None}, (*PIPE, "caught_up", "marks"), "nothing left to read in between"),
        ("hwm_too_low", {"capacity": None, "went_on": True}, (*PIPE, "went_on", "marks"), "got everything again"),
        ("network", {}, ("onset", "tcp", "rates", "marks"), "the way to desk was the limit, not its window"),
        ("network", {"retransmissions": 3, "segments_sent": 9}, ("onset", "tcp", "rates", "marks"),
         "3 of all 9 segments that it sent there were retransmissions"),
        ("network", {"retransmissions": 3, "segments_sent": 0}, ("onset", "tcp", "rates", "marks"), "not its window |"),
        ("network", {"segments_sent": 9}, ("onset", "tcp", "rates", "marks"), "not its window |"),
        ("network", {"rtt_us": 54_000}, ("onset", "tcp", "rates", "marks"), "a round trip took up to 54 ms |"),
        ("network", {"rtt_us": 54_000, "min_rtt_us": 500}, ("onset", "tcp", "rates", "marks"), "54 ms, 0.5 ms at best"),
        ("slow_joiner", {}, ("joined",), "they were sent before the first message that desk got"),
        ("slow_joiner", {"lost": 1}, ("joined",), "it was sent before"),
        ("slow_joiner", {"sent_when_connected": 0}, ("joined",), "the subscription came later"),
        ("slow_joiner", {"sent_when_connected": 1}, ("joined",), "feed had sent 1 message when the connection"),
        ("reconnect", {"downs": 1}, ("disconnected",), "went down once, and the lost messages were sent around it"),
        ("reconnect", {"downs": 3, "lost": 1}, ("disconnected",), "3 times, and the lost message was sent around it"),
        ("reconnect", {}, ("disconnected",), "at which feed was not connected to desk"),
        ("reconnect", {"transport": "unknown"}, ("between", "disconnected"), "somebody who is not known had gone down"),
        ("reconnect", {"took_over_at": NOON}, ("took_over",), "came in place of another proxy that ended"),
        ("reconnect", {"took_over_at": NOON - timedelta(seconds=1)}, ("disconnected",), "was not connected"),
        ("conflated", {"conflated_at": "sender"}, ("option",), "feed has ZMQ_CONFLATE on"),
        ("conflated", {"conflated_at": "receiver"}, ("option",), "desk has ZMQ_CONFLATE on"),
        ("oversize", {"maxmsgsize": 9, "hung_up": "proven"}, ("disconnected", "option"),
         "desk has ZMQ_MAXMSGSIZE 9, and hangs up on who sends it more; what feed sent at about that time was larger"),
        ("oversize", {"hung_up": "silent"}, ("disconnected", "option"), "it never called feed again"),
        ("oversize", {"hung_up": "likely"}, ("disconnected", "option"), "one of its messages may have been larger"),
        ("unroutable", {"peers": ()}, ("unroutable",), "its process ended before it had told of each"),
        ("unroutable", {"peers": ("6162", "00ff")}, ("unroutable",), "each time as libzmq said: 'ab', 0x00ff"),
        ("unroutable", {"peers": ("61",) * 6}, ("unroutable",), "'a', 'a', 'a', 'a', 'a' and others"),
        ("unroutable", {"peers": ("61",) * 4 + ("62",)}, ("unroutable",), "'a', 'a', 'a', 'a', 'b'END"),
        ("unroutable", {"peers": ("0a", "ff")}, ("unroutable",), "0x0a, 0xff"),
        ("unroutable", {"peers": ("61",), "reasons": ("routing_id_alone",)}, ("unroutable",), "no frame behind it"),
        ("unroutable", {"peers": ("61",), "reasons": ("no_peer", "routing_id_alone")}, ("unroutable",),
         "or sent no frame behind that: 'a'"),
    ],
)  # fmt: skip
def test_of_what_was_lost_on_its_way(cause: str, facts: Facts, kinds: tuple[str, ...], words: str) -> None:
    found, text = shown(cause, **facts)
    assert found == kinds
    assert words in f"{text}END"


BOTH_CLOSED = {"sender_end": "closed", "receiver_end": "closed"}
KILLED = KilledForMemory(1, None)


@pytest.mark.parametrize(
    ("cause", "facts", "kinds", "words"),
    [
        ("sender_died", {"sender_end": "died", "receiver_end": "died"}, ("end",), "feed ended because its process was killed or crashed; nothing"),
        ("sender_died", {"sender_end": "exited"}, ("end", "open"), "exited with the socket still open; nothing came after"),
        ("sender_died", {"sender_killed": KILLED, "watched": False}, ("end", "oom", "open", "unwatched"), "no other that is watched ended then |"),
        ("sender_died", {"receiver_killed": KILLED}, ("end", "open"), "desk is still open: it may have some of them"),
        ("receiver_died", {"receiver_end": "died"}, ("end",), "killed or crashed before it had read them"),
        ("receiver_died", {"receiver_killed": KilledForMemory(3, 64_000_000), "lost": 1}, ("end", "oom"),
         "before it had read it | the kernel killed for memory in the cgroup of desk just when its process ended, or another of the 3 that ended then; its cgroup may use 64 MB"),
        ("receiver_died", {"sender_killed": KILLED, "watched": False}, ("end", "unwatched"), "it may have gone down"),
        ("closed", BOTH_CLOSED, ("end", "marks"), "both feed and desk were closed; nothing came after"),
        ("closed", {"sender_end": "closed"}, ("end", "open", "marks"), "feed was closed; nothing came after"),
        ("closed", {"receiver_end": "closed"}, ("end", "marks"), "desk was closed before it had read them"),
        ("closed", BOTH_CLOSED | {"receiver_left_first": True}, ("end", "marks"), "desk was closed before"),
        ("closed", BOTH_CLOSED | {"linger": 0}, ("linger", "marks"), "its LINGER was 0; desk was closed later |"),
        ("closed", BOTH_CLOSED | {"linger": 0, "left_unread": False}, ("linger", "marks"), "closed later, with nothing unread"),
        ("closed", BOTH_CLOSED | {"linger": 0, "left_unread": True}, ("end", "marks"), "both feed and desk"),
        ("closed", {"sender_end": "closed", "linger": 0}, ("linger", "open", "marks"), "its LINGER was 0 | desk is still open"),
        ("closed", BOTH_CLOSED | {"linger": 0, "transport": "inproc"}, ("end", "marks"), "both feed and desk"),
    ],
)  # fmt: skip
def test_of_what_an_end_took_along(cause: str, facts: Facts, kinds: tuple[str, ...], words: str) -> None:
    found, text = shown(cause, **facts)
    assert found == kinds
    assert words in text


@pytest.mark.parametrize(
    ("cause", "facts", "words"),
    [
        ("network", {"runs": 1}, "3000 messages of feed did not pass feed → desk, in one run"),
        (
            "network",
            {"lost": 1},
            "1 message of feed did not pass feed → desk, in 18 runs, the longest of 180",
        ),
        ("network", {"stream_labels": ("a", "b")}, "3000 messages of a, b did not pass"),
        ("unroutable", {}, "3000 messages of feed did not pass feed → desk"),
    ],
)
def test_of_what_is_missing(cause: str, facts: Facts, words: str) -> None:
    missing = evidence(replace(BURST, cause=cause, **facts))[0]
    assert missing["text"].startswith(words)
    assert ("runs" in missing) is ("run" in missing["text"])


def test_of_where_the_ends_run() -> None:
    pod = Place(pod="feed-0")
    place = evidence(replace(BURST, sender_place=pod))[1]
    assert (place["kind"], place["text"]) == ("place", "feed runs in pod feed-0")
    assert (place["from"]["pod"], place["to"]) == ("feed-0", None)
    both = evidence(replace(BURST, sender_place=pod, receiver_place=Place(pod="b")))[1]
    assert both["text"] == "feed runs in pod feed-0; desk runs in pod b"
