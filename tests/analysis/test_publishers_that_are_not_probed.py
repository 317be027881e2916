"""Whether a publisher dropped messages is only known while its full pipes are seen, and not where it cannot drop any."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents
from told_connections import ToldConnection, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

ENDS = 120


def publish(
    story: LandedFolder, pub: str, *, probed: bool, closed: float | None = None, **marks: int
) -> ToldConnection:
    story.socket(pub, "PUB", probed=probed, **marks)
    story.socket(f"{pub}-sub", "SUB", closed=closed)
    story.subscribe(f"{pub}-sub", "")
    return ToldConnection(story, pub, f"{pub}-sub")


def sets_nodrop(story: LandedFolder, pub: str, value: int, seconds: float, *, n: int) -> None:
    story.add("option", pub, seconds, option="xpub_nodrop", value=str(value), n=n)


def stops_probing(story: LandedFolder, pub: str, seconds: float, *, n: int) -> None:
    story.add("socket", pub, seconds, state="probing_stopped", n=n)


def drops_many_and_is_killed(story: LandedFolder, pub: str) -> None:
    """Of the last 7,000 the PUB dropped 5,000."""
    connection = publish(story, pub, probed=True, sndhwm=1000)
    sampled(story, pub, 1000, 50)
    story.got(f"{pub}-sub", pub, 43_000, 0, 42_999, 49.9, newest=43)
    connection.down(50.1, 50_000, told_by=pub)
    story.killed(f"{pub}-sub", 50.4)


def closes_while_the_sender_goes_on(
    story: LandedFolder, pub: str, *, missing: int = 200, **marks: int
) -> None:
    """It had read all that had come, and what was under way was lost."""
    connection = publish(story, pub, probed=False, closed=50, sndhwm=1000, **marks)
    sampled(story, pub, 1000, 119)
    got = 50_000 - missing
    story.got(f"{pub}-sub", pub, got, 0, got - 1, 50, newest=49.9)
    connection.down(50, 50_000, told_by=pub)


def loses_some_between(story: LandedFolder, pub: str) -> None:
    """At no onset, and before the probing stopped."""
    publish(story, pub, probed=True, sndhwm=1000)
    sampled(story, pub, 1000, 119)
    story.gap(f"{pub}-sub", pub, 20_000, 20_099, (20, 20.1))
    story.got(f"{pub}-sub", pub, 118_900, 0, 118_999, 119, newest=118.9, final=False)
    stops_probing(story, pub, 60, n=2)


def all_of_them(story: LandedFolder) -> None:
    drops_many_and_is_killed(story, "seen")
    drops_many_and_is_killed(story, "stopped")
    stops_probing(story, "stopped", 10, n=2)
    drops_many_and_is_killed(story, "landed by an older agent")
    sets_nodrop(story, "landed by an older agent", 0, 10, n=3)
    drops_many_and_is_killed(story, "refuses from then on")
    stops_probing(story, "refuses from then on", 10, n=2)
    sets_nodrop(story, "refuses from then on", 1, 10, n=3)
    drops_many_and_is_killed(story, "refuses later")
    stops_probing(story, "refuses later", 10, n=2)
    sets_nodrop(story, "refuses later", 1, 40, n=9)
    closes_while_the_sender_goes_on(story, "refuses", xpub_nodrop=1)
    closes_while_the_sender_goes_on(story, "refused", xpub_nodrop=1)
    sets_nodrop(story, "refused", 0, 40, n=9)
    closes_while_the_sender_goes_on(story, "unprobed")
    closes_while_the_sender_goes_on(story, "unprobed and full", missing=5000)
    loses_some_between(story, "stopped later")


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("pub", "cause", "certainty", "lost"),
    [
        ("seen", "receiver_died", "exact", 7000),
        ("stopped", "receiver_died", "inferred", 7000),
        ("landed by an older agent", "receiver_died", "inferred", 7000),
        ("refuses from then on", "receiver_died", "exact", 7000),
        ("refuses later", "receiver_died", "inferred", 7000),
        ("refuses", "closed", "exact", 200),
        ("refused", "closed", "inferred", 200),
        ("unprobed", "closed", "inferred", 200),
        ("unprobed and full", "slow_receiver", "inferred", 5000),
    ],
)
def test_what_a_receiver_lacks_that_went(
    report: Json, pub: str, cause: str, certainty: str, lost: int
) -> None:
    assert [told[1:] for told in incidents(report, pub)] == [(cause, certainty, lost)]


def test_what_was_sent_before_the_probing_stopped_was_not_dropped_unseen(report: Json) -> None:
    assert incidents(report, "stopped later") == []
