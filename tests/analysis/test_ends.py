"""What is missing at the end of a stream: with which end it was lost is told no surer than numbers, clocks and what either saw show it."""

from dataclasses import dataclass

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import PEERS, End, ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@dataclass(frozen=True)
class Stream:
    """How many messages were sent until when, and how many came until when, of which the newest was sent when; how both ends went.

    ``seen``: when the receiver saw the connection go down.
    """

    type: str
    sent: tuple[int, float]
    got: tuple[int, float, float]
    sender: End
    receiver: End
    seen: float | None = None
    unread: bool = False

    def tell(self, story: LandedFolder, sender: str) -> None:
        receiver = f"{sender}: receiver"
        story.socket(sender, self.type, closed=self.sender.closed)
        story.socket(receiver, PEERS[self.type], closed=self.receiver.closed, unread=self.unread)
        story.subscribe(receiver, "")
        connection = ToldConnection(story, sender, receiver)
        if self.seen is not None:
            connection.down(self.seen, told_by=receiver)
        (sent, sent_at), (got, got_at, newest) = self.sent, self.got
        story.sent(sender, sent, sent_at, final=self.sender.killed is None)
        story.got(receiver, sender, got, 0, got - 1, got_at, newest=newest)
        for name, end in ((sender, self.sender), (receiver, self.receiver)):
            story.watched(name)
            if end.killed:
                story.killed(name, end.killed)


KILLED_TOGETHER = {
    "twin push": Stream("PUSH", (10_000, 50), (6000, 50, 50), End(killed=50.4003), End(killed=50.4)),
    "twin pub": Stream("PUB", (10_000, 50), (6000, 50, 50), End(killed=50.4003), End(killed=50.4)),
    "first twin pub": Stream("PUB", (10_000, 50), (6000, 50, 50), End(killed=50.3997), End(killed=50.4)),
}
"""A service is killed as a whole; its agent finds one process dead and then the other, and neither saw the other go."""
RESTED = {
    "dozer": Stream("PUB", (100, 40), (90, 44, 39), End(50), End(51), seen=50.01),
    "hermit": Stream("PUB", (100, 40), (90, 44, 39), End(killed=50.5), End(51), seen=50),
}
"""Both ends rested for six seconds before the sender went."""
BUSY = {
    "runner": Stream("PUB", (100, 49.9), (90, 44, 39), End(50), End(51), seen=50.01),
}
"""They were sent just before the sender was closed."""
OUTLIVED = {
    "uncle": Stream("PUB", (100, 49.9), (90, 56.95, 49), End(killed=50), End(57)),
    "aunt": Stream("PUSH", (100, 49.9), (90, 56.95, 49), End(killed=50), End(57)),
}
"""The receiver closed seven seconds after its sender was killed, still reading, and said that nothing was unread: it had looked into its inbox alone."""
OUTLIVED_BY_ALL = {
    "father, whom it saw go": Stream("PUB", (100, 49.9), (90, 56.95, 49), End(killed=50), End(57), seen=55),
    "mother, whom it saw go": Stream("PUSH", (100, 49.9), (90, 56.95, 49), End(killed=50), End(57), seen=55),
    "brother of an idle one": Stream("PUB", (100, 49.9), (90, 54, 49), End(killed=50), End(57)),
    "sister of an idle one": Stream("PUSH", (100, 49.9), (90, 54, 49), End(killed=50), End(57)),
}
"""It saw its sender go, or had got nothing for a while: all that had been under way had come by then."""
DAWDLED = {
    "feeder": Stream("PUSH", (100, 49), (40, 59, 59), End(killed=50), End(60), seen=50, unread=True),
}
"""The worker took a second for each message, and left some unread when it was closed."""


def all_of_the_tables(story: LandedFolder) -> None:
    for name, told in (KILLED_TOGETHER | RESTED | BUSY | OUTLIVED | OUTLIVED_BY_ALL | DAWDLED).items():
        told.tell(story, name)


def reader_that_takes_ten_seconds_a_job(story: LandedFolder, push: str, *, last: float) -> None:
    """All was sent in a second, and the PUSH closed; its only PULL is at work and read the 11th job at that time."""
    pull = f"{push}-worker"
    story.socket(push, "PUSH", closed=2, linger=-1)
    story.socket(pull, "PULL")
    story.link(push, pull, down=2)
    story.sent(push, 1000, 1)
    story.got(pull, push, 1, 0, 0, 1.5, final=False)
    story.got(pull, push, 11, 0, 10, last, final=False)


def hub_that_others_send_to(story: LandedFolder, push: str, *, frames_of_others: int) -> None:
    """Of 1000 jobs of two frames 200 went with their PUSH; somebody who is not instrumented sent to the same proxy."""
    front, back, pull = f"{push}-front", f"{push}-back", f"{push}-worker"
    story.socket(push, "PUSH")
    story.socket(front, "PULL", closed=60)
    story.socket(back, "PUSH", closed=60)
    story.proxy(f"{push}-hub", front, back)
    story.socket(pull, "PULL", closed=55)
    story.link(front, push, down=50)
    story.link(back, pull, down=55)
    here, there = "127.0.0.1:5555", f"127.0.0.1:{22_000 + story.ports}"
    story.one_end(front, 0.2, here, there, endpoint=f"tcp://{here}", accepted=True)
    story.sent(push, 1000, 49, final=False)
    story.killed(push, 50.1)
    story.got(pull, push, 800, 0, 799, 50)
    for socket in (push, front, back, pull):
        story.watched(socket)
    frames = 1600 + frames_of_others
    story.counters(front, 60, final=True, proxied_in_frames=frames)
    story.counters(back, 60, final=True, proxied_out_frames=frames)


def newest_frame_only(story: LandedFolder, push: str, *pulls: str) -> None:
    """PULLs that keep the newest message only."""
    story.socket(push, "PUSH", sequence="numbers", closed=60)
    for place, pull in enumerate(pulls):
        story.socket(pull, "PULL", sequence="numbers", closed=50, conflate=1)
        story.link(push, pull, down=50)
        story.got(pull, push, 100, place, 997 - place, 49)
    story.sent(push, 1000, 49.5, frames_each=1)


def room_again_behind_the_last_stamp(story: LandedFolder) -> None:
    """Of 1500 messages, one in 16 stamped, 1018 came, then none until the pipe had room for the last ten: 19 came without a stamp after the last one."""
    story.socket("sieve", "PUB", closed=50, sndhwm=500)
    story.socket("grain", "SUB", closed=51)
    story.subscribe("grain", "")
    ToldConnection(story, "sieve", "grain").down(50.01, told_by="grain")
    story.sent("sieve", 1500, 44)
    story.onset("sieve", 1018, 43)
    story.got("grain", "sieve", 1009, 0, 1008, 46, newest=42.99, since=19)


def ends_by_clocks_that_nothing_compares(story: LandedFolder, push: str, pull: str, *, apart: float) -> None:
    """No connection of theirs is known; the PULL lacks the last 100 messages."""
    story.socket(push, "PUSH", host=f"host of {push}", closed=50)
    story.socket(pull, "PULL", host=f"host of {pull}", closed=50 + apart, unread=False)
    story.sent(push, 1000, 49)
    story.got(pull, push, 900, 0, 899, 48)


def killed_behind_a_proxy_and_found_dead_later(story: LandedFolder, press: str, *, found_dead: float) -> None:
    """The proxy saw one of its two workers go at once, and was there for some seconds more; that worker's agent noticed later."""
    front, back, folder, binder = (f"{name} of {press}" for name in ("front", "back", "folder", "binder"))
    story.socket(press, "PUSH", closed=41, linger=-1)
    story.socket(front, "PULL", closed=44.5)
    story.socket(back, "PUSH", closed=44.5)
    story.proxy(f"table of {press}", front, back)
    story.socket(folder, "PULL", closed=43)
    story.socket(binder, "PULL")
    story.link(press, front, down=41)
    story.link(back, folder, down=43)
    ToldConnection(story, back, binder).down(40, told_by=back)
    story.sent(press, 330, 40.9)
    story.got(folder, press, 215, 1, 329, 42.9, newest=40.9)
    story.got(binder, press, 95, 0, 188, 39.5, newest=39)
    story.killed(binder, found_dead)
    for socket in (press, front, back, folder, binder):
        story.watched(socket)
    story.counters(front, 44, final=True, proxied_in_frames=660)
    story.counters(back, 44, final=True, proxied_out_frames=660)


def all_others(story: LandedFolder) -> None:
    reader_that_takes_ten_seconds_a_job(story, "oven", last=109)
    reader_that_takes_ten_seconds_a_job(story, "grill", last=80)
    hub_that_others_send_to(story, "loom", frames_of_others=500)
    hub_that_others_send_to(story, "lathe", frames_of_others=300)
    newest_frame_only(story, "lens", "retina")
    newest_frame_only(story, "periscope", "left-eye", "right-eye")
    ends_by_clocks_that_nothing_compares(story, "mint", "bank", apart=1)
    ends_by_clocks_that_nothing_compares(story, "mine", "smelter", apart=15)
    killed_behind_a_proxy_and_found_dead_later(story, "press", found_dead=42)
    killed_behind_a_proxy_and_found_dead_later(story, "stamp", found_dead=44.8)
    killed_behind_a_proxy_and_found_dead_later(story, "die", found_dead=46)


STORIES = (all_of_the_tables, room_again_behind_the_last_stamp, all_others)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def told(report: Json, sender: str) -> list[tuple[str, str, int]]:
    """What was lost on the hop to the sender's receiver, if anything was."""
    found = incidents(report, sender)
    assert {hop for hop, *_ in found} <= {f"{sender} → {sender}: receiver"}
    return [each[1:] for each in found]


@pytest.mark.parametrize("sender", KILLED_TOGETHER)
def test_which_of_two_that_were_killed_at_once_took_it_along_is_not_proven(report: Json, sender: str) -> None:
    cause = "sender_died" if sender == "first twin pub" else "receiver_died"
    assert told(report, sender) == [(cause, "inferred", 4000)]


@pytest.mark.parametrize("sender", RESTED)
def test_what_was_in_no_queue_was_not_lost_as_the_sender_went(report: Json, sender: str) -> None:
    assert told(report, sender) == []
    assert row(report, sender, f"{sender}: receiver")["unexplained"] == 10


@pytest.mark.parametrize("sender", BUSY)
def test_what_may_have_been_in_a_queue_was(report: Json, sender: str) -> None:
    assert told(report, sender) == [("closed", "exact", 10)]


@pytest.mark.parametrize("sender", OUTLIVED | OUTLIVED_BY_ALL)
def test_that_a_dead_sender_took_it_along_is_certain_where_all_else_had_come(
    report: Json, sender: str
) -> None:
    certainty = "exact" if sender in OUTLIVED_BY_ALL else "inferred"
    assert told(report, sender) == [("sender_died", certainty, 10)]


@pytest.mark.parametrize("sender", DAWDLED)
def test_a_receiver_that_says_it_left_some_unread_had_not_read_all_however_long_it_had_got_nothing(
    report: Json, sender: str
) -> None:
    assert told(report, sender) == [("closed", "inferred", 60)]


def test_what_was_dropped_before_the_last_messages_came_without_a_stamp_is_not_told_as_closed(
    report: Json,
) -> None:
    found = row(report, "sieve", "grain")
    assert (found["sent"], found["delivered"], found["lost"]) == (1500, 1028, 472)
    ((_, cause, certainty, lost),) = incidents(report, "sieve")
    assert cause in ("slow_receiver", "hwm_too_low")
    assert (certainty, lost) == ("inferred", 472)


def test_who_takes_long_for_each_job_has_those_of_a_sender_that_closed_in_its_inbox(report: Json) -> None:
    assert incidents(report, "oven") == []
    assert row(report, "oven", "oven-worker")["in_flight"] == 989


def test_but_not_who_has_got_nothing_for_several_times_as_long(report: Json) -> None:
    assert incidents(report, "grill") == [("grill → grill-worker", "closed", "inferred", 989)]


@pytest.mark.parametrize("push", ["loom", "lathe"])
def test_what_others_sent_to_a_proxy_does_not_stand_in_for_what_never_came_to_it(
    report: Json, push: str
) -> None:
    assert incidents(report, push) == incidents(report, f"{push}-hub") == []
    assert row(report, push, f"{push}-worker")["unexplained"] == 200


def test_a_pull_that_keeps_the_newest_message_threw_the_others_away_and_did_not_lose_them_as_it_closed(
    report: Json,
) -> None:
    assert incidents(report, "lens") == [("lens → retina", "conflated", "inferred", 900)]


def test_whose_they_were_is_not_known_of_two_that_do(report: Json) -> None:
    assert incidents(report, "periscope") == []
    assert row(report, "periscope", None)["unexplained"] == 800


@pytest.mark.parametrize("press", ["press", "stamp"])
def test_who_was_seen_to_go_before_sender_and_proxy_closed_is_not_told_to_have_gone_later(
    report: Json, press: str
) -> None:
    hop = f"table of {press} → binder of {press}"
    assert incidents(report, f"table of {press}") == [(hop, "receiver_died", "exact", 20)]
    [incident] = [incident for incident in report["incidents"] if incident["hop"] == hop]
    assert incident["started_at"] == "2100-05-04T12:00:40Z"


def test_who_was_found_dead_long_after_may_have_lost_it_to_the_proxys_end(report: Json) -> None:
    assert incidents(report, "table of die") == []
    assert row(report, "die", None)["unexplained"] == 20


def test_whose_end_took_shared_out_messages_is_not_told_by_clocks_that_nothing_compares(report: Json) -> None:
    assert incidents(report, "mint") == []
    assert row(report, "mint", "bank")["unexplained"] == 100


def test_but_where_more_than_clocks_may_differ_by_lies_between(report: Json) -> None:
    assert incidents(report, "mine") == [("mine → smelter", "closed", "inferred", 100)]
