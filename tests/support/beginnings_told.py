"""Beginnings of lanes that did not come, and lanes of which nothing came: what is known of each, its cause, and whether that is exact."""

from hopwatch_judge.clues.clues import Clues
from judged_losses import OVERLOADED, clues, down

JOINED = {"joined_before": True}
PROXY = {"type": "XSUB", "node_type": "PROXY"}
BEFORE = {"sent_when_connected": 10}
"""The sender had sent numbers 0 to 9 when the connection came up."""
COUNTED = {"counted_from": 0}
LATE = {"connected_at": 160.0}
MIDWAY = {"connected_at": 30.0}
GONE = {"end": "closed", "ended_at": 190.0}

BEGINNINGS: dict[str, tuple[Clues, str, bool]] = {
    "it joined while the lane was sent": (clues("head"), "slow_joiner", False),
    "the sender had counted them before the connection came up": (
        clues("head", link=BEFORE),
        "slow_joiner",
        True,
    ),
    "the sender had counted one less": (
        clues("head", link={"sent_when_connected": 9}, loss={"got_of_stream": 80}),
        "slow_joiner",
        False,
    ),
    "it got all that was sent since the connection came up": (
        clues("head", link={"sent_when_connected": 10}, lane={"counted_from": None}),
        "slow_joiner",
        True,
    ),
    "the sender's count is not of these numbers": (
        clues("head", link=BEFORE, lane={"counted_from": None}, loss={"got_of_stream": 80}),
        "slow_joiner",
        False,
    ),
    "a proxy's count is not of this stream": (
        clues("head", link=BEFORE, loss={"from_socket": "z"}),
        "slow_joiner",
        False,
    ),
    "the connection may have gone down unseen": (
        clues("head", link=BEFORE | {"unwatched": True}),
        "slow_joiner",
        False,
    ),
    "nobody has to subscribe": (
        clues("head", sender={"type": "PAIR"}, receiver={"type": "PAIR"}),
        "unexplained",
        False,
    ),
    "a PUSH tells its PULL nothing of subscriptions": (
        clues("head", sender={"type": "PUSH"}),
        "unexplained",
        False,
    ),
    "it had been there before": (clues("head", loss=JOINED), "unexplained", False),
    "it had been there before, and a full pipe began it": (
        clues("head", loss=JOINED | {"begins_at_onset": True}, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "it had been there before, and other losses began at a full pipe": (
        clues("head", loss=JOINED, met_full_pipe=True),
        "slow_receiver",
        False,
    ),
    "it had been there before, and the sender drops unseen": (
        clues("head", sender={"probed": False}, loss=JOINED),
        "slow_receiver",
        False,
    ),
    "it had been connected and subscribed for long": (
        clues(
            "head",
            loss={"subscribed_at": 1.0, "begins_at_onset": True},
            lane={"announced_at": 3.0},
            **OVERLOADED,
        ),
        "slow_receiver",
        True,
    ),
    "it had just been connected": (
        clues(
            "head",
            loss={"subscribed_at": 1.0, "begins_at_onset": True},
            lane={"announced_at": 1.9},
            **OVERLOADED,
        ),
        "slow_joiner",
        False,
    ),
    "when it subscribed is not known": (
        clues("head", lane={"announced_at": 3.0}, loss={"begins_at_onset": True}),
        "slow_joiner",
        False,
    ),
    "who is behind a proxy may subscribe later": (
        clues(
            "head",
            receiver=PROXY,
            loss={"subscribed_at": 1.0},
            lane={"announced_at": 3.0},
            met_full_pipe=True,
        ),
        "slow_joiner",
        False,
    ),
    "it had been there before, and was cut off before its first message": (
        clues("head", loss=JOINED, link={"downs": down(1.5, 2.5)}),
        "reconnect",
        False,
    ),
    "nothing had been sent when it first connected, and it was cut off then": (
        clues("head", link={"downs": down(1.5, 2.5), "sent_when_connected": 0}),
        "reconnect",
        False,
    ),
    "it was cut off after its first message": (
        clues("head", loss=JOINED, link={"downs": down(3.5, 4.5)}),
        "unexplained",
        False,
    ),
    "it was cut off for good": (clues("head", loss=JOINED, link={"downs": down(1.5)}), "unexplained", False),
    "an end keeps the newest message only": (clues("head", receiver={"conflate": 1}), "conflated", False),
    "an end keeps the newest message only, of what was sent since it joined": (
        clues("head", receiver={"conflate": 1}, loss=JOINED),
        "conflated",
        False,
    ),
    "before it joined nothing was thrown away": (
        clues("head", receiver={"conflate": 1}, link=BEFORE),
        "slow_joiner",
        True,
    ),
    "of a lane that never came all had been counted before": (
        clues("all", link={"sent_when_connected": 100} | LATE),
        "slow_joiner",
        True,
    ),
    "of a lane that never came all had been sent before": (
        clues("all", link=LATE, receiver=GONE),
        "slow_joiner",
        False,
    ),
    "it subscribed when all had been sent": (
        clues("all", loss={"subscribed_at": 160.0}, receiver=GONE),
        "slow_joiner",
        False,
    ),
    "the last had been sent for all that is known": (
        clues("all", link={"connected_at": 149.5}, loss={"joined_midway": True}, receiver=GONE),
        "slow_joiner",
        False,
    ),
    "it came while the lane was sent, and lived on with nothing left": (
        clues("all", link=MIDWAY, receiver=GONE | {"unread": False}),
        "slow_joiner",
        False,
    ),
    "it came while the lane was sent, and left some unread": (
        clues("all", link=MIDWAY, receiver=GONE | {"unread": True}),
        "closed",
        False,
    ),
    "it came before the lane began, and lived on": (
        clues("all", receiver=GONE | {"unread": False}),
        "closed",
        False,
    ),
    "it ended as the last was sent": (
        clues("all", link=MIDWAY, receiver={"end": "closed", "ended_at": 150.2, "unread": False}),
        "closed",
        False,
    ),
    "its sender ended as the last was sent": (
        clues(
            "all", link=MIDWAY, sender={"end": "closed", "ended_at": 150.2}, receiver=GONE | {"unread": False}
        ),
        "closed",
        False,
    ),
    "a proxy reads all that comes": (clues("all", link=MIDWAY, receiver=GONE | PROXY), "slow_joiner", False),
    "later messages came, and it joined early": (
        clues("all", sender={"probed": False}, link=MIDWAY, overtaken=True),
        "slow_receiver",
        False,
    ),
    "later messages came, and it joined late": (
        clues("all", sender={"probed": False}, link={"connected_at": 140.0}, overtaken=True),
        "slow_joiner",
        False,
    ),
    "later messages came, and full pipes are seen": (
        clues("all", link=MIDWAY, overtaken=True),
        "in_flight",
        False,
    ),
    "it had been there before, and later messages came": (
        clues("all", sender={"probed": False}, link=MIDWAY, overtaken=True, loss=JOINED),
        "slow_receiver",
        False,
    ),
    "both are there": (clues("all"), "in_flight", False),
}
