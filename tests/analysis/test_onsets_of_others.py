"""A sender tells at which message a pipe was full, and not whose: another receiver's full pipe explains nobody's end."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SENT = 601


def feed_with_a_stranger(
    story: LandedFolder, pub: str, sub: str, *, closed: float | None = None, unread: bool | None = False
) -> ToldConnection:
    """A PUB of 100 messages a second, a reader that comes to 479, and one that nobody watches, whose pipe is full at 500."""
    story.socket(pub, "PUB", sndhwm=100)
    story.socket(sub, "SUB", rcvhwm=1000, closed=closed, unread=unread)
    story.subscribe(sub, "")
    to_reader = ToldConnection(story, pub, sub)
    story.one_end(
        pub,
        0.1,
        "127.0.0.1:5555",
        f"127.0.0.1:{21000 + story.ports}",
        endpoint="tcp://127.0.0.1:5555",
        accepted=True,
    )
    story.onset(pub, 500, 5)
    for second in range(1, 7):
        story.sent(pub, second * 100, second, final=False)
    story.sent(pub, SENT, 6.01, final=False)
    return to_reader


def killed(story: LandedFolder) -> None:
    to_reader = feed_with_a_stranger(story, "o1", "o1-sub")
    to_reader.down(6.05, SENT, told_by="o1")
    story.got("o1-sub", "o1", 480, 0, 479, 5.9, newest=4.79, final=False)
    story.killed("o1-sub", 6.5)


def closed_with_some_unread(story: LandedFolder) -> None:
    to_reader = feed_with_a_stranger(story, "o2", "o2-sub", closed=6.5, unread=True)
    to_reader.down(6.5, SENT, told_by="o2")
    story.got("o2-sub", "o2", 480, 0, 479, 5.9, newest=4.79)


def hung(story: LandedFolder) -> None:
    feed_with_a_stranger(story, "o3", "o3-sub")
    story.got("o3-sub", "o3", 480, 0, 479, 5.9, newest=4.79, final=False)


def link_went_down_for_good(story: LandedFolder) -> None:
    to_reader = feed_with_a_stranger(story, "o4", "o4-sub", closed=30)
    to_reader.down(4.805, 480)
    story.got("o4-sub", "o4", 480, 0, 479, 4.8, newest=4.79)


def link_to_the_only_one_went_down_at_its_onset(story: LandedFolder) -> None:
    story.socket("o5", "PUB", sndhwm=100)
    story.socket("o5-sub", "SUB", rcvhwm=100, closed=30)
    story.subscribe("o5-sub", "")
    to_reader = ToldConnection(story, "o5", "o5-sub")
    story.onset("o5", 480, 4.8)
    story.sent("o5", SENT, 6.01, final=False)
    to_reader.down(4.85, 480)
    story.got("o5-sub", "o5", 480, 0, 479, 4.8, newest=4.79)


def killed_behind_its_own_onset(story: LandedFolder) -> None:
    """Nobody else is there whose pipe it may have been."""
    story.socket("o6", "PUB", sndhwm=100)
    story.socket("o6-sub", "SUB", rcvhwm=100)
    story.subscribe("o6-sub", "")
    to_reader = ToldConnection(story, "o6", "o6-sub")
    story.onset("o6", 500, 5)
    story.sent("o6", SENT, 6.01, final=False)
    to_reader.down(6.05, SENT, told_by="o6")
    story.got("o6-sub", "o6", 300, 0, 299, 5.9, newest=2.99, final=False)
    story.killed("o6-sub", 6.5)


STORIES = (
    killed,
    closed_with_some_unread,
    hung,
    link_went_down_for_good,
    link_to_the_only_one_went_down_at_its_onset,
    killed_behind_its_own_onset,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(("pub", "cause"), [("o1", "receiver_died"), ("o2", "closed")])
def test_what_its_reader_took_along_is_not_said_to_have_met_the_pipe_of_another(
    report: Json, pub: str, cause: str
) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}-sub", cause, "inferred", SENT - 480)]


def test_what_waits_for_a_reader_that_hangs_is_not_lost(report: Json) -> None:
    assert incidents(report, "o3") == []
    found = row(report, "o3", "o3-sub")
    assert found["in_flight"] + found["unexplained"] == SENT - 480


@pytest.mark.parametrize("pub", ["o4", "o5"])
def test_what_was_sent_once_the_connection_was_gone_for_good_met_no_full_pipe_and_is_not_owed(
    report: Json, pub: str
) -> None:
    assert incidents(report, pub) == []
    books = row(report, pub, f"{pub}-sub")
    assert (books["sent"], books["delivered"], books["unexplained"]) == (480, 480, 0)


def test_the_only_reader_there_is_met_the_full_pipe_itself(report: Json) -> None:
    assert {(cause, lost) for _, cause, _, lost in incidents(report, "o6")} == {
        ("receiver_died", 200),
        ("slow_receiver", 101),
    }
