"""Which of several receivers lost what a shared-out stream lacks."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down
from shared_streams import CLOSED, DIED, LANE, LEFT_SOME, READ_ALL, WENT_FIRST, Pull, died, lost

ENDED = {**CLOSED, "ended_at": 180.0}
"""Of a sender."""
LET_GO = {**ENDED, "linger": 0}
READS = {"moved_at": 199.0}
MENDED = {"downs": (Down(100.0, 101.0),), "sent_when_back": 80}


def z(got: int = 50, reached: int | None = 100, **others: Any) -> Pull:
    """Return another receiver that had read all it got when it was closed."""
    return Pull("z", got, reached, **{"socket": {**READ_ALL, "ended_at": 190.0}, **others})


def test_what_only_the_one_that_left_can_have_had_is_its() -> None:
    assert lost(died("y", 30, 60), z(), sender=ENDED) == ["left y: 20 receiver_died exactly"]
    closed = died("y", 30, 60, socket=LEFT_SOME)
    assert lost(closed, z(), sender=ENDED) == ["left y: 20 closed exactly"]


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(
            z(socket={}), ["left y: 10 receiver_died exactly", "any: 10 unexplained"], id="it is still there"
        ),
        pytest.param(
            z(socket=LEFT_SOME),
            ["left y: 10 receiver_died exactly", "any: 10 unexplained"],
            id="it left some unread",
        ),
    ],
)
def test_another_receiver_may_have_what_was_sent_since_the_last_it_got(
    other: Pull, expected: list[str]
) -> None:
    """Of 100, the other one reached the 89th: behind it 11 were sent, of which the newest is known to have come to the one that left."""
    reached = replace(other, reached=89)
    assert sorted(lost(died("y", 30, 95), reached, sender=ENDED)) == sorted(expected)


@pytest.mark.parametrize(
    ("sender", "other", "is_its"),
    [
        pytest.param(ENDED, z(reached=80), True, id="it had read all that came"),
        pytest.param(LET_GO, z(reached=80), False, id="its sender let go of what was on its way"),
        pytest.param({**DIED, "ended_at": 180.0}, z(reached=80), False, id="its sender died with what was on its way"),
        pytest.param(LET_GO, z(reached=80, link={"to_end_down_at": 180.0}), True, id="nothing was on its way when it saw that one go"),
        pytest.param(LET_GO, z(reached=80, link={"to_end_down_at": 150.2}), False, id="something may have been"),
    ],
)  # fmt: skip
def test_one_that_said_that_nothing_was_left_had_no_more(
    sender: dict[str, Any], other: Pull, is_its: bool
) -> None:
    assert ("left y: 20 receiver_died exactly" in lost(died("y", 30, 60), other, sender=sender)) is is_its


def test_what_was_sent_since_the_one_had_left_went_with_the_other() -> None:
    left = died("y", 30, 60, way={**WENT_FIRST, "left_sent": 90})
    assert lost(left, z(reached=70), sender=ENDED) == [
        "left y: 10 receiver_died exactly",
        "rest z: 10 closed exactly",
    ]
    later = lost(left, z(reached=95), sender=ENDED)
    assert later == ["left y: 15 receiver_died exactly", "rest z: 5 closed exactly"]
    assert lost(left, z(reached=70, way={"left_sent": 100}), sender=ENDED) == lost(
        left, z(reached=70), sender=ENDED
    )
    of_others = (replace(LANE, all_counted=False),)
    assert lost(left, z(reached=70), sender=ENDED, lanes=of_others) == ["left y: 20 receiver_died exactly"]


@pytest.mark.parametrize(
    ("one", "other", "sender", "cause"),
    [
        pytest.param({}, {}, {}, "in_flight", id="all are there"),
        pytest.param({}, {}, CLOSED, "unexplained", id="the sender is gone"),
        pytest.param({"socket": READ_ALL}, {}, {}, "unexplained", id="a receiver is gone"),
        pytest.param({"link": MENDED, "receipt": READS}, {}, {}, "in_flight", id="one was cut off and reads on"),
        pytest.param({"link": MENDED, "receipt": READS}, {"link": MENDED}, {}, "unexplained", id="two were cut off"),
        pytest.param({"socket": DIED, "way": WENT_FIRST}, {"socket": DIED, "way": WENT_FIRST}, {}, "unexplained", id="two left"),
    ],
)  # fmt: skip
def test_nobody_knows_whose_it_was_where_several_may_have_lost_it(
    one: dict[str, Any], other: dict[str, Any], sender: dict[str, Any], cause: str
) -> None:
    pulls = (Pull("y", 30, 50, **one), Pull("z", 50, 89, **other))
    assert f"any: 20 {cause}" in lost(*pulls, sender=sender)


def test_of_the_one_that_was_cut_off_no_later_messages_are_missing() -> None:
    cut = Pull("y", 30, 60, link=MENDED, socket=READ_ALL)
    assert lost(cut, z(reached=70), sender=ENDED) == ["any: 20 unexplained"]
    assert lost(cut, z(reached=90), sender=ENDED) == ["any: 10 unexplained", "left y: 10 reconnect"]
    back_later = replace(cut, link={**MENDED, "sent_when_back": 95})
    assert lost(back_later, z(reached=90), sender=ENDED) == ["any: 5 unexplained", "left y: 15 reconnect"]
    hung_up = replace(cut, link={**MENDED, "hung_up": "sure", "hang_ups": MENDED["downs"]})
    assert lost(hung_up, z(reached=100), sender=ENDED) == ["left y: 20 oversize"]


def test_of_one_that_was_cut_off_and_reads_on_nothing_is_sure_but_what_it_passed_by() -> None:
    cut = Pull("y", 30, 95, link=MENDED, receipt=READS)
    assert lost(cut, z(), sender=ENDED) == ["any: 4 unexplained", "left y: 16 reconnect"]
    assert lost(replace(cut, receipt={}), z(), sender=ENDED) == ["left y: 20 reconnect"]


@pytest.mark.parametrize(
    ("link", "cause"),
    [
        pytest.param(MENDED, "unexplained", id="and back"),
        pytest.param({"cut_alone": True}, "reconnect", id="for good"),
        pytest.param({**MENDED, "cut_alone": True}, "reconnect", id="and later for good"),
    ],
)
def test_one_that_was_cut_off_before_it_left(link: dict[str, Any], cause: str) -> None:
    assert lost(died("y", 30, 60, link=link), z(), sender=ENDED) == [f"left y: 20 {cause}"]


def test_a_sender_that_connects_goes_on_to_queue_for_one_that_is_cut_off() -> None:
    """It may have as many as were sent since, and one that is bound has none of those."""
    way = {**WENT_FIRST, "left_sent": 80, "receiver_left_first": False}
    cut = [
        Pull("y", 30, 60, way=way, link={"cut_alone": True, "sender_connects": connects})
        for connects in (True, False)
    ]
    assert [lost(each, z(reached=70), sender=ENDED) for each in cut] == [
        ["left y: 20 reconnect"],
        ["rest z: 20 closed exactly"],
    ]


@pytest.mark.parametrize(
    "link",
    [
        pytest.param({"left_at": 158.0}, id="the sender saw it just before the receiver ended"),
        pytest.param({"to_end_down_at": 178.0}, id="the receiver, just before the sender ended"),
        pytest.param(
            {"left_at": 150.0, "to_end_down_at": 150.0, "quit_at": 150.0}, id="both saw it long before"
        ),
    ],
)
def test_what_the_one_that_left_lost_is_exact_though_its_connection_was_seen_to_go(
    link: dict[str, Any],
) -> None:
    assert lost(died("y", 30, 60, link=link), z(), sender=ENDED) == ["left y: 20 receiver_died exactly"]


@pytest.mark.parametrize(
    ("receiver", "other", "sender"),
    [
        pytest.param({}, {"link": {"unwatched": True}}, {}, id="the connection of another may have been cut"),
        pytest.param({}, {}, {"may_have_strangers": True}, id="there may be others"),
        pytest.param({"link": {"left_at": 154.0}}, {}, {}, id="it may have been cut off long before"),
        pytest.param({"link": {"to_end_down_at": 154.0}}, {}, {}, id="or the other way round"),
        pytest.param({"socket": {}}, {}, {}, id="it was told to leave"),
        pytest.param({}, {}, {"ended_at": 162.0}, id="nobody saw which end went first"),
    ],
)
def test_what_the_one_that_left_lost_is_exact_unless(
    receiver: dict[str, Any], other: dict[str, Any], sender: dict[str, Any]
) -> None:
    assert lost(died("y", 30, 60), z(), sender=ENDED)[0].endswith("exactly")
    told = lost(died("y", 30, 60, **receiver), z(**other), sender={**ENDED, **sender})
    assert [each.split()[0] for each in told] == ["left"]
    assert not told[0].endswith("exactly")


def test_who_went_first_matters_of_one_that_lacks_the_end_alone() -> None:
    told = [
        lost(died("y", 30, 60), z(reached=reached, way={"left_unsure": True}), sender=ENDED)
        for reached in (99, 100)
    ]
    assert told == [["left y: 20 unexplained"], ["left y: 20 receiver_died exactly"]]


@pytest.mark.parametrize(
    ("pulls", "expected"),
    [
        pytest.param((Pull("y", 80, socket={"conflate": 1}),), ["conflated y: 20 conflated"], id="the receiver does"),
        pytest.param((died("y", 80, link={"cut_alone": True}, socket={**DIED, "conflate": 1}),), ["conflated y: 20 conflated"], id="whatever else came of it"),
        pytest.param((Pull("y", 30), Pull("z", 50, socket={"conflate": 1})), ["any: 20 unexplained"], id="one of several does"),
    ],
)  # fmt: skip
def test_where_an_end_keeps_the_newest_alone_the_others_were_thrown_away(
    pulls: tuple[Pull, ...], expected: list[str]
) -> None:
    assert lost(*pulls) == expected


def test_a_sender_may_keep_the_newest_alone() -> None:
    assert lost(Pull("y", 80), sender={"conflate": 1}) == ["conflated y: 20 conflated"]
