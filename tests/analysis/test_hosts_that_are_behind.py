"""What an open receiver got since its host's agent landed anything is not known: its silence is no sign of a loss."""

import pytest
from carried_numbers import SEQUENCE, carry, read
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection, proxied, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

HEARD, ENDS = 60, 120
"""When host "behind" landed its last event, and the newest event of the joint report."""


def publish(story: LandedFolder, pub: str, *, on: str = "behind", closed: float | None = None) -> str:
    """1,000 messages a second, and a SUB that gets all of them."""
    sub = f"{pub}-sub"
    story.socket(pub, "PUB", sndhwm=1000, closed=closed)
    story.socket(sub, "SUB", host=on, rcvhwm=1000)
    story.subscribe(sub, "")
    ToldConnection(story, pub, sub)
    sampled(story, pub, 1000, int(closed or ENDS) - 1)
    if closed:
        story.sent(pub, int(closed) * 1000, closed)
    return sub


def gets_all_until(story: LandedFolder, sub: str, pub: str, seconds: int) -> None:
    for second in (seconds - 1, seconds):
        count = second * 1000 - 20
        story.got(sub, pub, count, 0, count - 1, second, newest=second - 0.1, final=False)


def few_are_dropped_meanwhile(story: LandedFolder) -> None:
    gets_all_until(story, publish(story, "b1"), "b1", HEARD)
    story.onset("b1", 90_000, 90)


def its_sender_closes_meanwhile(story: LandedFolder) -> None:
    gets_all_until(story, publish(story, "b2", closed=100), "b2", HEARD)


def it_had_been_dropping_before(story: LandedFolder) -> None:
    """It stopped to read at 40, and its pipe was full at 45."""
    gets_all_until(story, publish(story, "b3"), "b3", 40)
    story.onset("b3", 45_000, 45)


def beside_a_receiver_that_lost_some(story: LandedFolder) -> None:
    """Behind one proxy: what is missing at one of two was lost behind the proxy."""
    proxied(story, "b4", "b4-known")
    story.socket("b4-sub", "SUB", host="behind")
    story.subscribe("b4-sub", "")
    ToldConnection(story, "b4-back", "b4-sub")
    sampled(story, "b4", 1000, ENDS - 1)
    story.counters("b4-front", ENDS - 1, proxied_in_frames=2 * 119_000, proxied_at=119 * 10**9)
    gets_all_until(story, "b4-sub", "b4", HEARD)
    story.gap("b4-known", "b4", 80_000, 80_099, (80, 80.1))
    story.got("b4-known", "b4", 118_900, 0, 118_999, 119, newest=118.9, final=False)


def shares_out(story: LandedFolder, push: str, *, closed: float | None) -> None:
    pull = f"{push}-pull"
    story.socket(push, "PUSH", closed=closed)
    story.socket(pull, "PULL", host="behind")
    ToldConnection(story, push, pull)
    sampled(story, push, 1000, 99)
    if closed:
        story.sent(push, 100_000, closed)
    gets_all_until(story, pull, push, HEARD)


def shares_out_numbers_of_its_own(story: LandedFolder) -> None:
    """Numbers 5001 to 6000, of which the sender told at the end only."""
    story.socket("b10", "PUSH", closed=100, sequence=SEQUENCE)
    story.socket("b10-pull", "PULL", host="behind", sequence=SEQUENCE)
    ToldConnection(story, "b10", "b10-pull")
    carry(story, "b10", (5001, 6000), 99.5)
    story.counters("b10", 99.5, final=True, sent=1000)
    read(story, "b10-pull", 400, (5001, 5400), HEARD, final=False)


def died_there(story: LandedFolder) -> None:
    """Its agent told so, before it was behind."""
    gets_all_until(story, publish(story, "b7"), "b7", 50)
    ToldConnection(story, "b7", "b7-sub", up=0.2).down(50.1, 50_000, told_by="b7")
    story.killed("b7-sub", 50.5)


def its_sender_is_behind(story: LandedFolder) -> None:
    """What it sent since is known by what came."""
    story.socket("b8", "PUB", host="behind", sndhwm=1000)
    story.socket("b8-sub", "SUB")
    story.subscribe("b8-sub", "")
    ToldConnection(story, "b8", "b8-sub")
    sampled(story, "b8", 1000, HEARD - 1)
    story.got("b8-sub", "b8", 119_000, 0, 118_999, 119, newest=118.9, final=False)


def closed_or_open(story: LandedFolder) -> None:
    shares_out(story, "b5", closed=100)
    shares_out(story, "b6", closed=None)


def heard_to_the_end(story: LandedFolder) -> None:
    """Both hosts have a socket that shows until when their agents landed anything."""
    gets_all_until(story, publish(story, "b9", on="known"), "b9", ENDS - 1)
    story.socket("its clock", "PAIR", opened=HEARD, host="behind")
    story.socket("another clock", "PAIR", opened=ENDS - 1, host="known")


STORIES = (
    few_are_dropped_meanwhile,
    its_sender_closes_meanwhile,
    it_had_been_dropping_before,
    beside_a_receiver_that_lost_some,
    closed_or_open,
    shares_out_numbers_of_its_own,
    died_there,
    its_sender_is_behind,
    heard_to_the_end,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("pub", "sub", "sent"),
    [
        ("b1", "b1-sub", 119_000),
        ("b2", "b2-sub", 100_000),
        ("b5", "b5-pull", 100_000),
        ("b6", "b6-pull", 99_000),
        ("b10", "b10-pull", 1000),
        ("b9", "b9-sub", 119_000),
    ],
)
def test_what_was_sent_since_is_in_flight(report: Json, pub: str, sub: str, sent: int) -> None:
    found = row(report, pub, sub)
    assert (found["sent"], found["lost"], found["unexplained"]) == (sent, 0, 0)
    assert found["in_flight"] == sent - found["delivered"]
    assert incidents(report, pub) == []


def test_what_is_known_to_have_been_lost_before_is_told(report: Json) -> None:
    found = row(report, "b3", "b3-sub")
    assert found["sent"] == 119_000
    assert found["lost"] == HEARD * 1000 - 45_000
    assert [told[1:] for told in incidents(report, "b3")] == [("slow_receiver", "inferred", found["lost"])]


def test_its_silence_places_no_loss_of_another_receiver(report: Json) -> None:
    assert incidents(report, "b4") == []
    assert [told[0] for told in incidents(report, "hub of b4")] == ["hub of b4 → b4-known"]
    assert row(report, "b4", "b4-sub")["in_flight"] == 119_000 - 59_980


def test_who_is_told_to_have_died_died(report: Json) -> None:
    assert [told[1] for told in incidents(report, "b7")] == ["receiver_died"]


def test_nothing_is_missing_of_a_sender_that_is_behind(report: Json) -> None:
    found = row(report, "b8", "b8-sub")
    assert (found["sent"], found["delivered"], found["lost"]) == (119_000, 119_000, 0)


def test_the_report_names_the_host(report: Json) -> None:
    (told,) = (each for each in report["hosts_behind"] if each["host"] == "behind")
    assert (told["host"], told["newest_event"], told["behind_by_ms"]) == (
        "behind",
        "2100-05-04T12:01:00Z",
        60_000,
    )
    assert told["text"].startswith(
        "host behind: nothing landed since 2100-05-04 12:01:00 UTC, 60 s behind the newest event"
    )
