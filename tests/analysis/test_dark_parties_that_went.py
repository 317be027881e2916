"""Somebody who is not instrumented went, and came back: a sender that connects keeps its pipe meanwhile, and drops what finds no room there."""

import pytest
from landed_folder import LandedFolder
from stories import Json, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

ENDPOINT = "tcp://hub.example:7300"
READERS = ("1", "2")
WENT, BACK, SENT_EACH_SECOND, SENT = 10.0, 13.0, 400, 8000


def feed_by_a_dark_hub(story: LandedFolder, feed: str, back: float | None, **options: int) -> None:
    """A PUB that connects to a hub which nobody tells of; two readers get its messages from there. The hub goes, and may come back."""
    story.socket(feed, "PUB", closed=40, sndhwm=1000, **options)
    story.add("endpoint", feed, 0, action="connect", endpoint=ENDPOINT)
    for number, up, down in ((1, 0.1, WENT), (2, back, None)):
        for action, seconds in (("connected", up), ("disconnected", down)):
            if seconds is not None:
                story.add(
                    "connection", feed, seconds, action=action, connection=number, endpoint=ENDPOINT, accepted=False,
                    local=f"10.8.0.1:4100{number}", remote="10.8.0.9:7300", sent=0, received=0,
                )  # fmt: skip
    for reader in READERS:
        story.socket(feed + reader, "SUB", closed=50)
        story.subscribe(feed + reader, "")
    for second in range(1, SENT // SENT_EACH_SECOND + 1):
        story.sent(feed, second * SENT_EACH_SECOND, second, final=False)
    story.sent(feed, SENT, SENT / SENT_EACH_SECOND)


def lost_at_an_onset(story: LandedFolder, feed: str, number: int, seconds: float) -> None:
    """200 messages from there on, at both readers."""
    story.onset(feed, number, seconds)
    for reader in READERS:
        story.got(feed + reader, feed, SENT - 200, 0, SENT - 1, 21)
        story.gap(feed + reader, feed, number, number + 199, (seconds - 0.01, seconds + 0.51))


def hub_comes_back(story: LandedFolder) -> None:
    """The pipe was full half a second before the hub was there again."""
    feed_by_a_dark_hub(story, "returned", BACK)
    lost_at_an_onset(story, "returned", 5000, 12.5)


def hub_comes_back_to_one_that_keeps_nothing(story: LandedFolder) -> None:
    """With ZMQ_IMMEDIATE the pipe goes with the hub: another one was full."""
    feed_by_a_dark_hub(story, "instant", BACK, immediate=1)
    lost_at_an_onset(story, "instant", 5000, 12.5)


def hub_was_full_before(story: LandedFolder) -> None:
    """The pipe was full while the hub was there; it went later, and nothing was lost then."""
    feed_by_a_dark_hub(story, "earlier", BACK)
    lost_at_an_onset(story, "earlier", 2000, 5)


def hub_stays_away(story: LandedFolder) -> None:
    """Whether others read from there, whose pipe may have been full as well, nobody knows."""
    feed_by_a_dark_hub(story, "away", None)
    story.onset("away", 5000, 12.5)
    for reader in READERS:
        story.got("away" + reader, "away", 4000, 0, 3999, 10.01, newest=9.99)


STORIES = (
    hub_comes_back,
    hub_comes_back_to_one_that_keeps_nothing,
    hub_was_full_before,
    hub_stays_away,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def incident(report: Json, feed: str, reader: str) -> Json:
    (found,) = (item for item in report["incidents"] if item["hop"] == f"{feed} → {feed}{reader}")
    return found


@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_that_was_kept_while_the_hub_was_away_was_full_for_that(report: Json, reader: str) -> None:
    found = incident(report, "returned", reader)
    assert (found["cause"], found["certainty"], found["lost"]) == ("reconnect", "inferred", 200)
    assert "a connection of returned to somebody who is not known had gone down" in str(found["evidence"])
    assert "a connection of returned to somebody who is not known went down" in str(found["advice"])


@pytest.mark.parametrize("feed", ["earlier", "instant"])
@pytest.mark.parametrize("reader", READERS)
def test_a_pipe_that_was_full_while_the_hub_was_there_or_was_not_kept_was_full_for_another_reason(
    report: Json, feed: str, reader: str
) -> None:
    found = incident(report, feed, reader)
    assert found["cause"] in ("slow_receiver", "hwm_too_low")
    assert (found["certainty"], found["lost"]) == ("inferred", 200)


@pytest.mark.parametrize("reader", READERS)
def test_what_was_sent_once_the_hub_had_gone_for_good_is_unexplained(report: Json, reader: str) -> None:
    found = row(report, "away", f"away{reader}")
    assert (found["lost"], found["unexplained"]) == (0, 4000)
