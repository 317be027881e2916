"""Gaps between messages that came: what is known of each, its cause, and whether that is exact."""

from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.steps import Pressure
from judged_losses import OVERLOADED, clues, down

ONSET = {"begins_at_onset": True}
UNPROBED = {"probed": False}
FAR = {"host": "another"}
TO_NOBODY_KNOWN = {"linked": False, "transport": None, "mirrored": False}

GAPS: dict[str, tuple[Clues, str, bool]] = {
    "nothing tells": (clues(), "unexplained", False),
    "it begins where the pipe was full, and the receiver was clearly too slow": (
        clues(loss=ONSET, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "losses are proven to have taken most of the time": (
        clues(loss=ONSET, pressure=Pressure(most_of_the_time=True)),
        "slow_receiver",
        True,
    ),
    "for how long the pipe was full is not known": (clues(loss=ONSET), "slow_receiver", False),
    "losses came in bursts that the receiver got over": (
        clues(loss=ONSET, pressure=Pressure(in_bursts=True)),
        "hwm_too_low",
        False,
    ),
    "they came in bursts of an overload": (
        clues(loss=ONSET, pressure=Pressure(in_bursts=True), overloaded=False),
        "slow_receiver",
        False,
    ),
    "the kernel waited for the network": (
        clues(loss=ONSET, limited_by="network", **OVERLOADED),
        "network",
        False,
    ),
    "the kernel waited for the network in bursts": (
        clues(loss=ONSET, limited_by="network", pressure=Pressure(in_bursts=True)),
        "network",
        False,
    ),
    "a network is between the two, and no kernel spoke": (
        clues(loss=ONSET, receiver=FAR, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a network is between the two, and the kernel waited for the receiver": (
        clues(loss=ONSET, receiver=FAR, limited_by="receiver", **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "over ipc there is no network": (
        clues(loss=ONSET, receiver=FAR, link={"transport": "ipc"}, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "somebody may stand between two addresses": (
        clues(loss=ONSET, link={"masqueraded": True}, limited_by="receiver", **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "the connection may have gone down unseen": (
        clues(loss=ONSET, link={"unwatched": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "which numbers of a gap are missing is not known": (
        clues(loss=ONSET | {"sparse": True}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "the connection was down meanwhile": (clues(link={"downs": down(100.2, 100.8)}), "reconnect", False),
    "it went down for good meanwhile": (clues(link={"downs": down(100.2)}), "reconnect", False),
    "it was up again before": (clues(link={"downs": down(90.0, 99.9)}), "unexplained", False),
    "it went down later": (
        clues(link={"downs": down(101.1, 102.0)}, loss={"seen_at": 101.0}),
        "unexplained",
        False,
    ),
    "when these were sent is not known": (
        clues(link={"downs": down(100.2, 100.8)}, loss={"before_sent_at": None}),
        "unexplained",
        False,
    ),
    "a full pipe began it, and the connection went down long after": (
        clues(loss=ONSET | {"after_sent_at": 110.0}, link={"downs": down(105.0, 106.0)}, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "a full pipe began it, as the connection went down": (
        clues(loss=ONSET | {"after_sent_at": 110.0}, link={"downs": down(100.9, 106.0)}, **OVERLOADED),
        "reconnect",
        False,
    ),
    "a cut long before had ended": (
        clues(loss=ONSET, link={"downs": down(50.0, 60.0)}, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "an end keeps the newest message only": (clues(receiver={"conflate": 1}), "conflated", False),
    "an end keeps the newest message only, and another's pipe was full": (
        clues(receiver={"conflate": 1}, loss=ONSET),
        "conflated",
        False,
    ),
    "an end keeps the newest message only, and the connection was down": (
        clues(receiver={"conflate": 1}, loss=ONSET, link={"downs": down(105.0)}),
        "conflated",
        False,
    ),
    "a conflating end was cut off": (
        clues(sender={"conflate": 1}, link={"downs": down(100.2, 100.8)}),
        "reconnect",
        False,
    ),
    "the receiver hung up then": (
        clues(link={"downs": down(100.2, 100.8), "hang_ups": down(100.2, 100.8)}),
        "oversize",
        False,
    ),
    "the receiver hung up at another time": (
        clues(link={"downs": down(100.2, 100.8), "hang_ups": down(120.0, 121.0)}),
        "reconnect",
        False,
    ),
    "the receiver had hung up before": (
        clues(link={"downs": down(100.2, 100.8), "hang_ups": down(50.0, 51.0)}),
        "reconnect",
        False,
    ),
    "nobody was at the receiver's place when the pipe was full": (
        clues(loss=ONSET, link={"former_downs": down(99.0, 100.5)}, **OVERLOADED),
        "reconnect",
        False,
    ),
    "who was at the receiver's place had long come back": (
        clues(loss=ONSET, link={"former_downs": down(80.0, 90.0)}, **OVERLOADED),
        "slow_receiver",
        True,
    ),
    "one message was under way to who had been there before": (
        clues(sender=UNPROBED, loss={"last": 10}, link={"former_downs": down(99.0, 100.5)}),
        "slow_receiver",
        False,
    ),
    "several found no room while nobody was there": (
        clues(sender=UNPROBED, link={"former_downs": down(99.0, 100.5)}),
        "reconnect",
        False,
    ),
    "a full pipe was met somewhere in it": (clues(onset_between=12), "slow_receiver", False),
    "a full pipe was met in it, and it began while nobody was there": (
        clues(onset_between=12, loss={"last": 10}, link={"former_downs": down(99.0, 100.0)}),
        "reconnect",
        False,
    ),
    "sent before a cut, and seen missing behind it": (
        clues(link={"downs": down(102.0, 103.0)}, loss={"seen_at": 103.1}),
        "reconnect",
        False,
    ),
    "sent long before a cut": (
        clues(link={"downs": down(106.0, 107.0)}, loss={"seen_at": 107.1}),
        "unexplained",
        False,
    ),
    "sent before a cut, and seen missing long behind it": (
        clues(link={"downs": down(102.0, 103.0)}, loss={"seen_at": 108.1}),
        "unexplained",
        False,
    ),
    "seen missing before a cut": (
        clues(link={"downs": down(102.0, 103.0)}, loss={"seen_at": 101.5}),
        "unexplained",
        False,
    ),
    "told a little before the cut was over": (
        clues(link={"downs": down(102.0, 103.0)}, loss={"seen_at": 102.9}),
        "reconnect",
        False,
    ),
    "sent just before a cut, by a clock that is ahead": (
        clues(link={"downs": down(101.1, 103.0)}, loss={"seen_at": 100.5}),
        "reconnect",
        False,
    ),
    "sent a while before a cut, by a clock that is ahead": (
        clues(link={"downs": down(101.5, 103.0)}, loss={"seen_at": 100.5}),
        "unexplained",
        False,
    ),
    "sent before the receiver was connected to a proxy in another's place": (
        clues(loss={"took_over": True}, link={"connected_at": 100.0}),
        "reconnect",
        False,
    ),
    "sent when it had long been connected to a proxy in another's place": (
        clues(loss={"took_over": True}, link={"connected_at": 99.0}),
        "unexplained",
        False,
    ),
    "the sender drops unseen": (clues(sender=UNPROBED), "slow_receiver", False),
    "the sender drops unseen, and the connection may have gone down": (
        clues(sender=UNPROBED, link={"unwatched": True}),
        "unexplained",
        False,
    ),
    "the sender refuses what finds no room": (
        clues(sender=UNPROBED | {"never_drops": True}),
        "unexplained",
        False,
    ),
    "the sender waits at a full pipe": (clues(sender=UNPROBED | {"type": "PUSH"}), "unexplained", False),
    "full pipes were seen no more by then": (
        clues(sender={"probing_stopped_at": 100.5}),
        "slow_receiver",
        False,
    ),
    "full pipes were seen until later": (clues(sender={"probing_stopped_at": 101.5}), "unexplained", False),
    "a proxy drops unseen": (clues(loss={"stream": "z"}), "slow_receiver", False),
    "the cut took the range before it": (
        clues(sender=UNPROBED, link={"downs": down(100.2, 100.8)}, cut_took_the_next=True),
        "slow_receiver",
        False,
    ),
    "the cut took the range before it, and full pipes are seen": (
        clues(link={"downs": down(100.2, 100.8)}, cut_took_the_next=True),
        "reconnect",
        False,
    ),
    "nobody knows who stands between": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, **OVERLOADED),
        "slow_receiver",
        False,
    ),
    "one whose way is known lacks the same": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, lacked_by_another=True, **OVERLOADED),
        "unexplained",
        False,
    ),
    "a connection of the sender's that leads nobody knows where was down": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, unknown_downs=down(99.0, 100.5)),
        "reconnect",
        False,
    ),
    "that connection went down long after": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, unknown_downs=down(101.2)),
        "slow_receiver",
        False,
    ),
    "that connection had long been back": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, unknown_downs=down(50.0, 60.0)),
        "slow_receiver",
        False,
    ),
    "the sender keeps nothing for who is not connected": (
        clues(loss=ONSET, link=TO_NOBODY_KNOWN, sender={"immediate": 1}, unknown_downs=down(99.0, 100.5)),
        "slow_receiver",
        False,
    ),
    "its place on the way is not known": (
        clues(loss=ONSET | {"hop_known": False}, **OVERLOADED),
        "unexplained",
        False,
    ),
    "who ends later has nothing to do with it": (
        clues(loss=ONSET, receiver={"end": "died", "ended_at": 160.0}, **OVERLOADED),
        "slow_receiver",
        True,
    ),
}
