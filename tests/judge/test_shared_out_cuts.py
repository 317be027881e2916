"""What the only receiver of a shared-out stream lacks whose connection was cut: what was lost in the cut, around it, and with an end later."""

from dataclasses import replace
from typing import Any

import pytest
from hopwatch_judge.case import Down
from shared_streams import CLOSED, DIED, LANE, LEFT_SOME, READ_ALL, WENT_FIRST, Pull, lost

MENDED = {"downs": (Down(100.0, 101.0),), "sent_when_back": 80}
"""80 messages had been sent when the connection was back."""
CONNECTS = {**MENDED, "sender_connects": True}
OPEN_AGAIN = {"downs": (Down(100.0, None),)}
BOTH_SAW_IT = {"left_at": 155.0, "to_end_down_at": 155.0, **OPEN_AGAIN}
READS = {"moved_at": 199.0}
CUT_THEN_DIED = {"socket": DIED, "way": WENT_FIRST}


def y(**others: Any) -> Pull:
    """Return a receiver that got 50 messages of those up to the 60th."""
    return Pull("y", 50, 60, **{"link": MENDED, **others})


@pytest.mark.parametrize(
    ("pull", "sender", "expected"),
    [
        pytest.param(y(), {}, ["around y: 20 reconnect", "cut y: 10 reconnect", "left y: 20 in_flight"], id="all up to then, of a bound sender"),
        pytest.param(y(), DIED, ["around y: 20 reconnect", "cut y: 10 reconnect", "left y: 20 sender_died"], id="and the rest with the end of it"),
        pytest.param(y(receipt=READS), {}, ["around y: 20 in_flight", "cut y: 10 reconnect", "left y: 20 in_flight"], id="unless it reads on"),
        pytest.param(y(**CUT_THEN_DIED), {}, ["around y: 20 unexplained", "cut y: 10 reconnect", "left y: 20 receiver_died"], id="or had some in its inbox"),
        pytest.param(y(socket=READ_ALL, way=WENT_FIRST), {}, ["around y: 20 reconnect", "cut y: 10 reconnect", "left y: 20 closed"], id="which it said it had not"),
        pytest.param(y(link=CONNECTS), {}, ["around y: 20 in_flight", "cut y: 10 reconnect", "left y: 20 in_flight"], id="of a sender that connects, if any came of its queue"),
        pytest.param(y(link=CONNECTS), DIED, ["around y: 20 sender_died", "cut y: 10 reconnect", "left y: 20 sender_died"], id="its queue went with its end"),
        pytest.param(y(link={**MENDED, "sent_when_back": None}), DIED, ["cut y: 10 reconnect", "left y: 40 sender_died"], id="it is not known how many those are"),
        pytest.param(y(link={**MENDED, "sent_when_back": 120}), {}, ["around y: 40 reconnect", "cut y: 10 reconnect"], id="no more than were sent"),
        pytest.param(y(link={**MENDED, "sent_when_back": 55}), {}, ["cut y: 10 reconnect", "left y: 40 in_flight"], id="none of those that are behind what came"),
        pytest.param(y(link={"to_end_was_cut": True, "sent_when_back": 80}), {}, ["cut y: 10 reconnect", "left y: 40 in_flight"], id="the receiver alone saw it"),
        pytest.param(y(link={**MENDED, "hung_up": "sure", "hang_ups": MENDED["downs"]}), {}, ["around y: 20 oversize", "cut y: 10 oversize", "left y: 20 in_flight"], id="the receiver hung up"),
        pytest.param(y(link={**MENDED, "hung_up": "sure"}), {}, ["around y: 20 reconnect", "cut y: 10 reconnect", "left y: 20 in_flight"], id="but not each time"),
    ],
)  # fmt: skip
def test_what_was_sent_until_the_connection_was_back_was_lost_in_the_cut(
    pull: Pull, sender: dict[str, Any], expected: list[str]
) -> None:
    assert lost(pull, sender=sender) == expected


@pytest.mark.parametrize(
    ("pull", "sender", "expected"),
    [
        pytest.param({}, {}, ["around y: 30 reconnect", "left y: 20 in_flight"], id="of a bound sender"),
        pytest.param({"link": CONNECTS}, {}, ["around y: 30 reconnect", "left y: 20 in_flight"], id="of one that connects and is there"),
        pytest.param({"link": CONNECTS}, DIED, ["around y: 30 unexplained", "left y: 20 sender_died"], id="its queue may have gone with its end"),
        pytest.param({"link": {**MENDED, "sent_when_back": None}}, DIED, ["left y: 50 unexplained"], id="it is not known how many"),
    ],
)  # fmt: skip
def test_if_nothing_was_passed_by_the_queue_went_in_the_cut(
    pull: dict[str, Any], sender: dict[str, Any], expected: list[str]
) -> None:
    assert lost(replace(y(**pull), got=50, reached=50), sender=sender) == expected


@pytest.mark.parametrize(
    ("pull", "sender", "expected"),
    [
        pytest.param({}, {}, ["around y: 20 receiver_died", "cut y: 10 unexplained", "kept y: 20 in_flight"], id="as many as it holds"),
        pytest.param({}, {"sndhwm": 10}, ["around y: 20 receiver_died", "cut y: 10 unexplained", "kept y: 10 in_flight", "left y: 10 receiver_died"], id="the highest ones"),
        pytest.param({}, {"sndhwm": 30}, ["around y: 10 receiver_died", "cut y: 10 unexplained", "kept y: 30 in_flight"], id="those from before the connection was back among them"),
        pytest.param({}, {"sndhwm": 30, "end": "died", "ended_at": 170.0}, ["around y: 10 receiver_died", "cut y: 10 unexplained", "kept y: 30 unexplained"], id="until it ended"),
        pytest.param({"got": 60}, {"sndhwm": 30}, ["around y: 20 unexplained", "kept y: 20 in_flight"], id="after the cut, if none came of what was there before"),
    ],
)  # fmt: skip
def test_a_sender_that_connects_keeps_some_of_the_end(
    pull: dict[str, Any], sender: dict[str, Any], expected: list[str]
) -> None:
    receiver = y(**CUT_THEN_DIED, link=CONNECTS)
    assert lost(replace(receiver, **pull), sender=sender) == expected


@pytest.mark.parametrize(
    ("socket", "link", "cause"),
    [
        pytest.param(
            {}, {"received_when_back": 39}, "reconnect", id="it read more since than its inbox holds"
        ),
        pytest.param({}, {"received_when_back": 40}, "unexplained", id="no more than that"),
        pytest.param({}, {}, "unexplained", id="nobody knows how much"),
        pytest.param(
            {"rcvhwm": 0}, {"received_when_back": 0}, "unexplained", id="its inbox holds any number"
        ),
        pytest.param(READ_ALL, {}, "reconnect", id="it said that nothing was left"),
        pytest.param({}, {"sender_connects": False}, "reconnect", id="it had one pipe alone"),
    ],
)
def test_a_bound_receiver_may_not_have_come_to_what_it_had_before_the_cut(
    socket: dict[str, Any], link: dict[str, Any], cause: str
) -> None:
    receiver = y(socket={**DIED, **socket}, way=WENT_FIRST, link={**CONNECTS, **link})
    assert f"cut y: 10 {cause}" in lost(receiver)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        pytest.param(
            {"cut_alone": True}, "left y: 40 reconnect", id="one end saw it, and the other was there"
        ),
        pytest.param(BOTH_SAW_IT, "left y: 40 reconnect", id="both saw it while they were there"),
        pytest.param({**BOTH_SAW_IT, "quit_at": 155.0}, "left y: 50 closed", id="one was told to leave"),
        pytest.param({**BOTH_SAW_IT, "left_at": None}, "left y: 50 closed", id="the receiver alone saw it"),
        pytest.param(
            {**BOTH_SAW_IT, "to_end_down_at": None}, "left y: 50 closed", id="the sender alone saw it"
        ),
        pytest.param(
            {**BOTH_SAW_IT, "to_end_down_at": 160.0},
            "left y: 50 closed",
            id="the receiver saw it as it ended",
        ),
        pytest.param(
            {**BOTH_SAW_IT, "left_at": 170.0}, "left y: 50 closed", id="the sender saw it as it ended"
        ),
    ],
)
def test_behind_a_cut_for_good_all_was_lost_in_it(link: dict[str, Any], expected: str) -> None:
    told = lost(y(link=link, socket=CLOSED, way=WENT_FIRST), sender={**CLOSED, "ended_at": 170.0})
    assert [each.removesuffix(" exactly") for each in told if each.startswith("left")] == [expected]


@pytest.mark.parametrize(
    ("link", "cut"),
    [
        (BOTH_SAW_IT, True),
        ({**BOTH_SAW_IT, "left_at": None}, False),
        ({**BOTH_SAW_IT, "to_end_down_at": None}, False),
    ],
)
def test_both_ends_are_still_there(link: dict[str, Any], cut: bool) -> None:
    assert ("left y: 40 reconnect" in lost(y(link=link))) is cut


def test_a_queue_does_not_outlast_a_cut_for_good() -> None:
    cut = {**CONNECTS, "cut_alone": True}
    assert lost(y(link=cut, **CUT_THEN_DIED)) == [
        "around y: 20 receiver_died",
        "cut y: 10 unexplained",
        "left y: 20 reconnect",
    ]


@pytest.mark.parametrize(
    ("pull", "sender"),
    [
        pytest.param({"got": 70, "reached": 80}, {}, id="nothing had come since"),
        pytest.param({"way": {"receiver_left_first": True, "left_at": 160.0}, "socket": {}}, {}, id="it was told to leave"),
        pytest.param({"link": {**MENDED, "unwatched": True}, "receipt": {"moved_at": 159.9}}, {}, id="the connection was not watched"),
        pytest.param({"link": {**MENDED, "sent_when_back": None}}, {}, id="nobody knows how many had been sent by then"),
        pytest.param({}, {"may_have_strangers": True}, id="others may have received"),
        pytest.param({"link": {**MENDED, "left_at": 154.0}}, {}, id="the sender had seen it go long before"),
    ],
)  # fmt: skip
def test_what_was_lost_with_an_end_behind_a_cut_is_exact_unless(
    pull: dict[str, Any], sender: dict[str, Any]
) -> None:
    ended = Pull("y", 80, 90, socket=LEFT_SOME, way=WENT_FIRST, link=MENDED)
    assert "left y: 10 closed exactly" in lost(ended)
    told = lost(replace(ended, **pull), sender=sender)
    assert any(each.endswith(" closed") for each in told)
    assert not any(each.endswith("exactly") for each in told)


def test_what_a_receiver_read_to_the_end_behind_a_cut_went_with_its_sender() -> None:
    ended = Pull("y", 80, 90, socket=READ_ALL, link=MENDED)
    assert "left y: 10 closed exactly" in lost(ended, sender=CLOSED)
    assert "left y: 10 closed" in lost(replace(ended, socket=LEFT_SOME), sender=CLOSED)


def test_a_count_of_other_messages_says_nothing_of_a_cut() -> None:
    counts = [lost(y(), lanes=(replace(LANE, all_counted=counted),)) for counted in (True, False)]
    assert ["around y: 20 reconnect" in told for told in counts] == [True, False]
