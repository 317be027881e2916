"""Ends of lanes that did not come: what is known of each, its cause, and whether that is exact.

In a plain system the last message came that was sent at 140 s, and the sender sent until 150 s.
"""

from hopwatch_judge.clues.clues import Clues
from judged_losses import OVERLOADED, clues, down

ONSET = {"begins_at_onset": True}
UNPROBED = {"probed": False}
X_CLOSED = {"end": "closed", "ended_at": 160.0}
X_DIED = {"end": "died", "ended_at": 160.0}
Y_CLOSED = {"end": "closed", "ended_at": 160.0, "unread": True}
Y_READ_ALL = {"end": "closed", "ended_at": 160.0, "unread": False}
Y_DIED = {"end": "died", "ended_at": 160.0}
Y_LATER = {"end": "closed", "ended_at": 170.0, "unread": False}
Y_LATER_WITH_SOME = {"end": "closed", "ended_at": 170.0, "unread": True}
X_SAW_IT = {"left_at": 160.0}
Y_SAW_IT = {"to_end_down_at": 160.0}
MOVED_TO_THE_END = {"way_moved_at": 159.9}
SENT_TO_THE_END = {"moved_at": 159.9}
PROXY = {"type": "XSUB", "node_type": "PROXY"}
RESTED_PROXY = PROXY | {"end": "closed", "ended_at": 160.0, "took_last_at": 150.0, "asked_until": 158.0}
UNLINKED = {"linked": False, "transport": None}
FULL_BEFORE = {"way_newest_sent_at": 150.5}

ENDS: dict[str, tuple[Clues, str, bool]] = {
    "both are there": (clues("tail"), "in_flight", False),
    "it got something just now": (
        clues("tail", loss=ONSET | {"moved_at": 196.0}, **OVERLOADED),
        "in_flight",
        False,
    ),
    "it got something a while ago": (
        clues("tail", loss=ONSET | {"moved_at": 194.0}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "it takes long for each message that had been sent": (
        clues("tail", loss=ONSET | {"moved_at": 152.0, "pace": 17.0}, **OVERLOADED),
        "in_flight",
        False,
    ),
    "it takes long, and had nothing left": (
        clues("tail", loss=ONSET | {"moved_at": 150.5, "pace": 17.0}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "its host was heard of until shortly after": (
        clues("tail", loss=ONSET | {"moved_at": 140.0, "heard_until": 143.0}, **OVERLOADED),
        "in_flight",
        False,
    ),
    "whether it was owed is not known": (clues("unsure"), "unexplained", False),
    "it unsubscribed": (clues("tail", loss={"unsubscribed": True}), "unexplained", False),
    "nobody knows who stands between": (clues("tail", link=UNLINKED), "unexplained", False),
    "its place on the way is not known": (clues("tail", loss={"hop_known": False}), "in_flight", False),
    "its place is not known, and the sender is gone": (
        clues("tail", loss={"hop_known": False}, stream_ended_at=160.0),
        "unexplained",
        False,
    ),
    "a full pipe began it, and nothing was left": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "a full pipe began it, and some was left": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER | {"unread": None}, loss=ONSET, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and something came until the end": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET | MOVED_TO_THE_END, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and the sender was killed": (
        clues("tail", sender=X_DIED, receiver=Y_LATER, loss=ONSET, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and the receiver was killed": (
        clues("tail", receiver=Y_DIED, loss=ONSET, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and it unsubscribed": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET | {"unsubscribed": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and the connection was mended": (
        clues(
            "tail",
            sender=X_CLOSED,
            receiver=Y_LATER,
            loss=ONSET,
            link={"downs": down(145.0, 146.0)},
            **OVERLOADED,
        ),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, and the connection was cut for good": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET, link={"cut_alone": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "another had the same routing id": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET | {"contested": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "which connection was whose is not certain": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, loss=ONSET, link={"mistakable": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "all lanes of the receiver stopped at an onset": (
        clues("tail", stopped_at_onset=True),
        "slow_receiver",
        False,
    ),
    "another lane ended at an onset, and nothing was left": (
        clues("tail", receiver=Y_READ_ALL, full_in_another_lane=True, lane=SENT_TO_THE_END),
        "slow_receiver",
        False,
    ),
    "another lane ended at an onset, and some was left": (
        clues("tail", receiver=Y_CLOSED, full_in_another_lane=True, lane=SENT_TO_THE_END),
        "closed",
        False,
    ),
    "another lane of sparse stamps ended at an onset": (
        clues("tail", receiver=Y_CLOSED, loss={"sparse": True}, full_in_another_lane=True),
        "slow_receiver",
        False,
    ),
    "the connection was mended when all had been sent": (
        clues("tail", link={"downs": down(145.0, 149.5)}),
        "reconnect",
        False,
    ),
    "the connection was mended while more was sent": (
        clues("tail", link={"downs": down(142.0, 145.0)}, receiver=Y_CLOSED),
        "closed",
        False,
    ),
    "the connection was mended before the last message that came": (
        clues("tail", link={"downs": down(130.0, 139.0)}),
        "in_flight",
        False,
    ),
    "the connection went down long after all had been sent": (
        clues("tail", link={"downs": down(156.0, 157.0)}),
        "reconnect",
        False,
    ),
    "the receiver hung up": (
        clues("tail", link={"downs": down(145.0, 149.5), "hang_ups": down(145.0, 149.5)}),
        "oversize",
        False,
    ),
    "the sender drops unseen, and the receiver had read all": (
        clues("tail", sender=UNPROBED, receiver=Y_READ_ALL, link=X_SAW_IT),
        "slow_receiver",
        False,
    ),
    "the sender drops unseen, and the receiver may hang": (
        clues("tail", sender=UNPROBED),
        "in_flight",
        False,
    ),
    "it may hang, and was killed": (clues("tail", sender=UNPROBED, receiver=Y_DIED), "receiver_died", False),
    "it may hang, and messages were dropped before": (
        clues("tail", sender=UNPROBED, dropped_between=True),
        "slow_receiver",
        False,
    ),
    "it may hang, and later ones of another lane came": (
        clues("tail", sender=UNPROBED, loss=FULL_BEFORE),
        "slow_receiver",
        False,
    ),
    "a proxy does not hang": (clues("tail", sender=UNPROBED, receiver=PROXY), "slow_receiver", False),
    "the sender drops unseen, and the connection is down": (
        clues("tail", sender=UNPROBED, receiver=PROXY, link={"is_down": True}),
        "reconnect",
        False,
    ),
    "it was closed while a pipe that does not drop yet held them": (
        clues(
            "tail",
            sender=UNPROBED,
            receiver=Y_READ_ALL,
            lane={"moved_at": 165.0},
            loss=MOVED_TO_THE_END,
            link=X_SAW_IT,
            fits_into_pipe=True,
        ),
        "closed",
        False,
    ),
    "it was closed while its sender went on, and a pipe did not hold them": (
        clues(
            "tail",
            sender=UNPROBED,
            receiver=Y_READ_ALL,
            lane={"moved_at": 165.0},
            loss=MOVED_TO_THE_END,
            link=X_SAW_IT,
        ),
        "slow_receiver",
        False,
    ),
    "the sender drops unseen, and what was sent later came": (
        clues("tail", sender=UNPROBED, receiver=Y_DIED, loss=MOVED_TO_THE_END, overtaken=True),
        "slow_receiver",
        False,
    ),
    "what was sent later came, and the connection was mended": (
        clues(
            "tail",
            sender=UNPROBED,
            receiver=Y_DIED,
            loss=MOVED_TO_THE_END,
            overtaken=True,
            link={"downs": down(142.0, 145.0)},
        ),
        "receiver_died",
        False,
    ),
    "what was sent later came, and a full pipe would have been seen": (
        clues("tail", receiver=Y_DIED, overtaken=True),
        "receiver_died",
        True,
    ),
    "both saw it go down for good": (
        clues("tail", link={"left_at": 155.0, "to_end_down_at": 155.0}),
        "reconnect",
        False,
    ),
    "both saw it go down, and the receiver ended later": (
        clues("tail", receiver=Y_CLOSED, link={"left_at": 155.0, "to_end_down_at": 155.0}),
        "reconnect",
        False,
    ),
    "both saw it go down as the receiver ended": (
        clues("tail", receiver=Y_DIED, link={"left_at": 160.0, "to_end_down_at": 160.0}),
        "receiver_died",
        True,
    ),
    "one saw it go down while the other was there for longer": (
        clues("tail", receiver=Y_CLOSED, link={"left_at": 145.0, "cut_alone": True}),
        "reconnect",
        False,
    ),
    "the connection is down": (clues("tail", link={"is_down": True}), "reconnect", False),
    "the connection was down as they were sent": (
        clues("tail", link={"downs": down(145.0)}),
        "reconnect",
        False,
    ),
    "both had rested before the receiver was closed": (
        clues("tail", receiver=Y_READ_ALL, link=X_SAW_IT),
        "unexplained",
        False,
    ),
    "both had rested before the sender was closed": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, link=Y_SAW_IT),
        "unexplained",
        False,
    ),
    "a killed sender had gone before it was found dead": (
        clues("tail", sender=X_DIED, receiver=Y_LATER, link=Y_SAW_IT, lane={"moved_at": 154.8}),
        "sender_died",
        True,
    ),
    "a killed sender had rested for long": (
        clues("tail", sender=X_DIED, receiver=Y_LATER, link=Y_SAW_IT),
        "unexplained",
        False,
    ),
    "a proxy had rested before its sender was closed": (
        clues("tail", sender=X_CLOSED | {"ended_at": 159.0}, receiver=RESTED_PROXY, loss=MOVED_TO_THE_END),
        "unexplained",
        False,
    ),
    "a proxy that left something unread tells nothing": (
        clues(
            "tail",
            sender=X_CLOSED | {"ended_at": 159.0},
            receiver=RESTED_PROXY | {"unread": True},
            loss=MOVED_TO_THE_END,
        ),
        "closed",
        False,
    ),
    "a proxy had just taken something": (
        clues(
            "tail",
            sender=X_CLOSED | {"ended_at": 159.0},
            receiver=RESTED_PROXY | {"took_last_at": 157.8},
            loss=MOVED_TO_THE_END,
        ),
        "closed",
        False,
    ),
    "nobody watched the connection, and nothing came for a while": (
        clues("tail", receiver=Y_DIED, link={"unwatched": True}),
        "unexplained",
        False,
    ),
    "nobody watched the connection, and something came until the end": (
        clues("tail", receiver=Y_DIED, link={"unwatched": True}, loss={"way_moved_at": 159.9}),
        "receiver_died",
        False,
    ),
    "the sender closed, and its receiver is there": (clues("tail", sender=X_CLOSED), "closed", False),
    "the sender was killed, and its receiver is there": (clues("tail", sender=X_DIED), "sender_died", False),
    "the sender closed, and its receiver had read all": (
        clues("tail", sender=X_CLOSED, receiver=Y_LATER, link=Y_SAW_IT, lane=SENT_TO_THE_END),
        "closed",
        True,
    ),
    "the sender was killed, and its receiver saw it go and had read all": (
        clues("tail", sender=X_DIED, receiver=Y_LATER, link=Y_SAW_IT, lane=SENT_TO_THE_END),
        "sender_died",
        True,
    ),
    "the sender was killed, and its receiver had not seen it go yet": (
        clues(
            "tail",
            sender=X_DIED,
            receiver=Y_LATER | {"ended_at": 160.1},
            lane=SENT_TO_THE_END,
            loss=MOVED_TO_THE_END,
        ),
        "sender_died",
        False,
    ),
    "the receiver alone saw it go, long before the sender was found dead": (
        clues("tail", sender=X_DIED, receiver=Y_LATER, link={"to_end_down_at": 154.0}, lane=SENT_TO_THE_END),
        "sender_died",
        False,
    ),
    "the sender was killed, and its receiver left what its inbox held": (
        clues("tail", sender=X_DIED, receiver=Y_LATER_WITH_SOME, link=Y_SAW_IT, fits_into_inbox=True),
        "closed",
        False,
    ),
    "the sender was killed, and its receiver left less than is missing": (
        clues("tail", sender=X_DIED, receiver=Y_LATER_WITH_SOME, link=Y_SAW_IT),
        "sender_died",
        False,
    ),
    "the sender closed, and its receiver was killed later": (
        clues("tail", sender=X_CLOSED, receiver=Y_DIED | {"ended_at": 170.0}, link=Y_SAW_IT),
        "receiver_died",
        False,
    ),
    "the sender closed with no time to linger, and its receiver lived on": (
        clues("tail", sender=X_CLOSED | {"linger": 0}, receiver=Y_DIED | {"ended_at": 170.0}, link=Y_SAW_IT),
        "closed",
        False,
    ),
    "the sender closed with no time to linger, and its receiver died soon": (
        clues(
            "tail",
            sender=X_CLOSED | {"linger": 0},
            receiver=Y_DIED | {"ended_at": 162.0},
            link=Y_SAW_IT,
            loss={"way_moved_at": 159.0},
        ),
        "receiver_died",
        False,
    ),
    "the receiver left some unread": (clues("tail", receiver=Y_CLOSED, link=X_SAW_IT), "closed", True),
    "the receiver did not say what it left": (
        clues("tail", receiver=Y_CLOSED | {"unread": None}, link=X_SAW_IT),
        "closed",
        False,
    ),
    "the receiver was killed": (clues("tail", receiver=Y_DIED, link=X_SAW_IT), "receiver_died", True),
    "the receiver's process exited": (
        clues("tail", receiver=Y_DIED | {"end": "exited"}, link=X_SAW_IT),
        "receiver_died",
        True,
    ),
    "the sender drops unseen, and some may have been dropped": (
        clues("tail", sender=UNPROBED, receiver=Y_CLOSED, link=X_SAW_IT, loss=MOVED_TO_THE_END),
        "closed",
        False,
    ),
    "an onset inside may be this hop's": (
        clues("tail", receiver=Y_CLOSED, link=X_SAW_IT, loss={"maybe_dropped": True}),
        "closed",
        False,
    ),
    "another lane was full, and it left some unread": (
        clues("tail", receiver=Y_CLOSED, link=X_SAW_IT, full_in_another_lane=True),
        "closed",
        False,
    ),
    "the sender connected, and keeps its queue": (
        clues("tail", receiver=Y_CLOSED, link=X_SAW_IT | {"sender_connects": True}),
        "closed",
        False,
    ),
    "the sender connected with ZMQ_IMMEDIATE": (
        clues("tail", sender={"immediate": 1}, receiver=Y_CLOSED, link=X_SAW_IT | {"sender_connects": True}),
        "closed",
        True,
    ),
    "both were killed at one time, and nobody saw who went first": (
        clues("tail", sender=X_DIED | {"ended_at": 163.0}, receiver=Y_DIED),
        "receiver_died",
        False,
    ),
    "the sender alone saw a hung receiver go, that was killed long after": (
        clues("tail", receiver=Y_DIED | {"ended_at": 175.0}, link={"left_at": 155.0}),
        "receiver_died",
        False,
    ),
    "the sender alone saw it go, and the receiver closed long after": (
        clues("tail", receiver=Y_CLOSED | {"ended_at": 166.0}, link={"left_at": 159.0}),
        "reconnect",
        False,
    ),
    "the sender alone saw it go, and the receiver closed soon after": (
        clues("tail", receiver=Y_CLOSED | {"ended_at": 163.0}, link={"left_at": 159.0}),
        "closed",
        True,
    ),
    "an end keeps the newest message only": (
        clues("tail", receiver=Y_READ_ALL | {"conflate": 1}, lane=SENT_TO_THE_END),
        "conflated",
        False,
    ),
    "an end keeps the newest message only, and one is missing": (
        clues("tail", receiver=Y_CLOSED | {"conflate": 1}, loss={"first": 99}, link=X_SAW_IT),
        "closed",
        False,
    ),
    "an end keeps the newest message only, and both are there": (
        clues("tail", receiver={"conflate": 1}),
        "in_flight",
        False,
    ),
    "an end keeps the newest message only, and the connection is down": (
        clues("tail", receiver={"conflate": 1}, link={"is_down": True}),
        "conflated",
        False,
    ),
    "of a lane that never came one message is missing, and an end conflates": (
        clues("all", receiver=Y_CLOSED | {"conflate": 1}, loss={"joined_before": True}, link=X_SAW_IT),
        "conflated",
        False,
    ),
    "the receiver saw its sender go, by a clock that is behind": (
        clues(
            "tail", sender=X_CLOSED, receiver=Y_CLOSED | {"ended_at": 158.0}, link={"to_end_down_at": 157.9}
        ),
        "closed",
        False,
    ),
    "the receiver saw the connection go long before its sender ended": (
        clues(
            "tail", sender=X_CLOSED, receiver=Y_CLOSED | {"ended_at": 155.0}, link={"to_end_down_at": 145.0}
        ),
        "closed",
        True,
    ),
    "both were killed, and the sender's own end had begun when it saw the connection go": (
        clues("tail", sender=X_DIED, receiver=Y_DIED | {"ended_at": 175.0}, link={"left_at": 159.9}),
        "sender_died",
        False,
    ),
    "both were killed, and the sender saw the receiver go well before": (
        clues(
            "tail",
            sender=X_DIED | {"ended_at": 165.0},
            receiver=Y_DIED | {"ended_at": 175.0},
            link={"left_at": 159.9},
        ),
        "receiver_died",
        False,
    ),
}
