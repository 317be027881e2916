"""A sender that connects keeps its queue when its receiver goes, for whoever comes to that place: that is not lost with the receiver."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

QUEUE = 1000


def left_with_400_of_1000(
    story: LandedFolder, sender: str, *, kinds: tuple[str, str] = ("PUSH", "PULL"), rcvhwm: int = 100,
    closed: float | None = None, receiver_closed: float | None = None, sndhwm: int = QUEUE, immediate: int = 0,
) -> None:  # fmt: skip
    """The receiver, which is bound, goes at 40 s, and was killed if it is not said to have been closed; ``closed``: when the sender is, and throws its queue away."""
    receiver = f"{sender}-to"
    story.socket(sender, kinds[0], sndhwm=sndhwm, closed=closed, linger=0, immediate=immediate)
    story.socket(receiver, kinds[1], closed=receiver_closed, unread=True, rcvhwm=rcvhwm)
    ToldConnection(story, receiver, sender, sender=sender).down(40, 1000, told_by=sender)
    sampled(story, sender, 25, 40)
    if closed:
        story.sent(sender, 1000, 40)
    story.got(receiver, sender, 400, 0, 399, 39.9, newest=16)
    if receiver_closed is None:
        story.killed(receiver, 40.4)


def went_on_after_it(story: LandedFolder) -> None:
    """1200 more are sent, to nobody."""
    left_with_400_of_1000(story, "q6", sndhwm=0)
    story.sent("q6", 2200, 60, final=False)


def one_of_two_workers(story: LandedFolder) -> None:
    """One is killed with some in its inbox, and some in the queue to it; the sender goes on with the other."""
    story.socket("q7", "PUSH", sndhwm=QUEUE)
    story.socket("q7-dead", "PULL", rcvhwm=20)
    story.socket("q7-other", "PULL")
    ToldConnection(story, "q7-dead", "q7", sender="q7").down(40, 1000, told_by="q7")
    ToldConnection(story, "q7-other", "q7", sender="q7")
    sampled(story, "q7", 25, 60)
    story.sent("q7", 2800, 119, final=False)
    story.got("q7-dead", "q7", 280, 0, 558, 39.9, newest=22)
    story.got("q7-other", "q7", 2300, 1, 2799, 119.2, newest=119, final=False)
    story.killed("q7-dead", 40.4)


def succeeded(story: LandedFolder, push: str) -> None:
    """The next one at its place gets the 342 that were queued, and what is sent later; 58 were in the inbox."""
    left_with_400_of_1000(story, push)
    story.socket(f"{push}-next", "PULL", opened=50)
    ToldConnection(story, f"{push}-next", push, up=51, sent=1000, sender=push)
    story.sent(push, 2000, 119, final=False)
    story.got(f"{push}-next", push, 1542, 458, 1999, 119.1, newest=119, final=False)


def cut_and_killed_later(story: LandedFolder) -> None:
    """20 were lost in the cut; when it is killed, 400 are in its inbox or in the queue."""
    story.socket("q9", "PUSH", sndhwm=QUEUE)
    story.socket("q9-to", "PULL", rcvhwm=100)
    ToldConnection(story, "q9-to", "q9", sender="q9").down(10, 500)
    ToldConnection(story, "q9-to", "q9", up=11, sent=500, sender="q9").down(80, 2000, told_by="q9")
    sampled(story, "q9", 25, 80)
    story.got("q9-to", "q9", 1580, 0, 1599, 79.9, newest=64)
    story.killed("q9-to", 80.4)


def pub_whose_next_reader_gets_the_queue(story: LandedFolder) -> None:
    """Of 200 that the first one had not got, the second one gets 180."""
    story.socket("q10", "PUB", closed=100, sndhwm=QUEUE)
    for reader, opened in (("q10-to", 0), ("q10-next", 57)):
        story.socket(reader, "SUB", opened=opened, closed=105 if opened else None)
        story.subscribe(reader, "", seconds=opened)
    ToldConnection(story, "q10-to", "q10", sender="q10").down(56, 2500, told_by="q10")
    story.killed("q10-to", 56.4)
    ToldConnection(story, "q10-next", "q10", up=58, sent=2500, sender="q10")
    sampled(story, "q10", 50, 50)
    story.sent("q10", 2500, 55.9, final=False)
    story.sent("q10", 3000, 99)
    story.got("q10-to", "q10", 2300, 0, 2299, 55.9, newest=47)
    story.got("q10-next", "q10", 680, 2320, 2999, 99.1, newest=99)


def pub_whose_reader_is_killed(story: LandedFolder) -> None:
    story.socket("q11", "PUB", sndhwm=QUEUE)
    story.socket("q11-to", "SUB")
    story.subscribe("q11-to", "")
    ToldConnection(story, "q11-to", "q11", sender="q11").down(40, 2000, told_by="q11")
    sampled(story, "q11", 50, 119)
    story.got("q11-to", "q11", 1970, 0, 1969, 39.9, newest=39.3)
    story.killed("q11-to", 40.4)


def all_of_them(story: LandedFolder) -> None:
    left_with_400_of_1000(story, "q1")
    left_with_400_of_1000(story, "q2", receiver_closed=40)
    left_with_400_of_1000(story, "q3", closed=60)
    left_with_400_of_1000(story, "q4", closed=60, kinds=("DEALER", "ROUTER"))
    left_with_400_of_1000(story, "q5", rcvhwm=2000)
    went_on_after_it(story)
    one_of_two_workers(story)
    succeeded(story, "q8")
    cut_and_killed_later(story)
    pub_whose_next_reader_gets_the_queue(story)
    pub_whose_reader_is_killed(story)
    left_with_400_of_1000(story, "q12", sndhwm=200)
    left_with_400_of_1000(story, "q13", immediate=1)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def of_stream(report: Json, name: str) -> tuple[int, int, int]:
    rows = [item for item in report["ledger"] if item["name"] == name]
    lost, in_flight, unexplained = (
        sum(item[term] for item in rows) for term in ("lost", "in_flight", "unexplained")
    )
    return lost, in_flight, unexplained


@pytest.mark.parametrize(("push", "cause"), [("q1", "receiver_died"), ("q2", "closed")])
def test_no_more_went_with_the_receiver_than_half_of_its_inbox_while_the_queue_may_have_the_rest(
    report: Json, push: str, cause: str
) -> None:
    assert incidents(report, push) == [(f"{push} → {push}-to", cause, "inferred", 50)]
    assert of_stream(report, push) == (50, 550, 0)


@pytest.mark.parametrize("sender", ["q3", "q4"])
def test_whose_end_it_was_lost_with_is_not_known_once_the_sender_has_gone_too(
    report: Json, sender: str
) -> None:
    assert incidents(report, sender) == [(f"{sender} → {sender}-to", "receiver_died", "inferred", 50)]
    assert of_stream(report, sender) == (50, 0, 550)


def test_what_the_inbox_had_room_for_was_hardly_in_the_queue(report: Json) -> None:
    assert incidents(report, "q5") == [("q5 → q5-to", "receiver_died", "inferred", 600)]


def test_what_is_sent_to_nobody_waits_for_whoever_comes(report: Json) -> None:
    assert of_stream(report, "q6") == (50, 1750, 0)


def test_it_is_kept_though_there_are_other_workers(report: Json) -> None:
    assert incidents(report, "q7") == [("q7 → q7-dead", "receiver_died", "inferred", 10)]
    assert of_stream(report, "q7") == (10, 210, 0)


def test_what_the_next_one_shows_not_to_have_been_queued_is_gone_for_certain(report: Json) -> None:
    assert incidents(report, "q8") == [("q8 → q8-to", "receiver_died", "exact", 58)]
    assert of_stream(report, "q8") == (58, 0, 0)


def test_it_is_kept_though_an_earlier_cut_took_some(report: Json) -> None:
    told = [(cause, certainty, lost) for _, cause, certainty, lost in incidents(report, "q9")]
    assert told == [("receiver_died", "inferred", 50), ("reconnect", "inferred", 20)]
    assert of_stream(report, "q9") == (70, 350, 0)


def test_what_the_next_reader_got_of_the_queue_of_a_pub_is_not_lost(report: Json) -> None:
    assert ("q10 → q10-to", "receiver_died", "inferred", 20) in incidents(report, "q10")
    assert row(report, "q10", "q10-to")["sent"] == 2320


def test_a_pub_that_connects_may_have_kept_some(report: Json) -> None:
    assert incidents(report, "q11") == [("q11 → q11-to", "receiver_died", "inferred", 30)]


def test_what_is_more_than_a_queue_holds_is_gone_for_certain(report: Json) -> None:
    assert incidents(report, "q12") == [("q12 → q12-to", "receiver_died", "exact", 400)]
    assert of_stream(report, "q12") == (400, 200, 0)


def test_with_immediate_nothing_is_kept(report: Json) -> None:
    assert incidents(report, "q13") == [("q13 → q13-to", "receiver_died", "exact", 600)]
