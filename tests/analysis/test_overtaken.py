"""What an end cannot have taken along: messages that others of the same hop had overtaken, and those of one that came later and read on to its end."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def two_feeds(
    story: LandedFolder, proxy: str, feeds: tuple[str, str], reader: str, came: float, *, unread: bool = False
) -> None:
    """A proxy that two PUBs send to, each message a hundredth of a second; one reader came to it later."""
    front, back = f"{proxy}-front", f"{proxy}-back"
    story.socket(front, "XSUB", closed=60)
    story.socket(back, "XPUB", closed=60, probed=False, sndhwm=50)
    story.proxy(proxy, front, back)
    for feed in feeds:
        story.socket(feed, "PUB", closed=50, sndhwm=1000)
        story.link(front, feed)
    quick = f"quick one at {proxy}"
    story.socket(quick, "SUB", closed=55)
    story.subscribe(quick, "")
    story.link(back, quick)
    story.socket(reader, "SUB", opened=came, closed=55, unread=unread, rcvhwm=10)
    story.subscribe(reader, "", seconds=came)
    story.link(back, reader, up=came)


def sends(story: LandedFolder, proxy: str, feed: str, until: int, upto: int) -> None:
    """A hundred messages a second, and a sample each; then nothing more. The quick reader behind the proxy gets all."""
    for second in range(1, upto + 1):
        story.sent(feed, 100 * min(second, until), second, final=False)
    story.sent(feed, 100 * until, 50)
    story.got(f"quick one at {proxy}", feed, 100 * until, 0, 100 * until - 1, 20, newest=until)


def nothing_of_one_feed_passed_a_full_pipe(story: LandedFolder) -> None:
    """It came after a second: nine of ten of the first feed's messages were sent while it was there."""
    two_feeds(story, "viaduct", ("town crier", "crier"), "trailer", 1)
    sends(story, "viaduct", "town crier", 10, 12)
    sends(story, "viaduct", "crier", 12, 12)
    story.gap("trailer", "crier", 120, 1100, (1.2, 11))
    story.got("trailer", "crier", 119, 100, 1199, 20, newest=12)


def one_feed_had_nearly_ended_when_its_reader_came(story: LandedFolder) -> None:
    two_feeds(story, "culvert", ("bellman", "beadle"), "lagger", 9)
    sends(story, "culvert", "bellman", 10, 12)
    sends(story, "culvert", "beadle", 12, 12)
    story.gap("lagger", "beadle", 920, 1100, (9.2, 11))
    story.got("lagger", "beadle", 119, 900, 1199, 20, newest=12)


def all_had_been_sent_when_its_reader_came(story: LandedFolder) -> None:
    """The last sample that finds the feed at its end was taken after that."""
    two_feeds(story, "gully", ("sexton", "verger"), "tarrier", 10.5)
    for second in range(1, 11):
        story.sent("sexton", 100 * second - 50, second, final=False)
    story.sent("sexton", 1000, 11, final=False)
    story.sent("sexton", 1000, 50)
    story.got("quick one at gully", "sexton", 1000, 0, 999, 20, newest=10.2)


def a_quiet_feed_sends_as_its_reader_leaves(story: LandedFolder) -> None:
    """Its one message in half a minute was sent behind the newest that came of the other feed, and was in the queue that the reader took along."""
    two_feeds(story, "footbridge", ("oracle", "whisperer"), "window shopper", 0.1, unread=True)
    quick = "quick one at footbridge"
    story.sent("whisperer", 3000, 30, final=False)
    story.sent("whisperer", 3000, 50)
    story.got(quick, "whisperer", 3000, 0, 2999, 40, newest=30)
    story.got("window shopper", "whisperer", 2990, 0, 2989, 54, newest=29.9)
    story.sent("oracle", 1, 2, final=False)
    story.sent("oracle", 2, 30.5, final=False)
    story.sent("oracle", 2, 50)
    story.got(quick, "oracle", 2, 0, 1, 40, newest=30.4)
    story.got("window shopper", "oracle", 1, 0, 0, 54, newest=1)


def a_flapping_link_takes_two_ranges(story: LandedFolder) -> None:
    """It is down twice within a second, and each time takes what was sent meanwhile."""
    two_feeds(story, "lift bridge", ("bugle", "fife"), "lookout", 0.1)
    for feed in ("bugle", "fife"):
        sends(story, "lift bridge", feed, 30, 31)
    for down, up in ((10.0, 10.2), (10.6, 10.9)):
        story.link("lift bridge-back", "lookout", up=down - 0.3, down=down)
        story.link("lift bridge-back", "lookout", up=up)
    for first, last, times in ((1000, 1020, (9.99, 10.21)), (1060, 1090, (10.59, 10.91))):
        story.gap("lookout", "bugle", first, last, times)
    story.got("lookout", "bugle", 2948, 0, 2999, 45, newest=30)
    story.got("lookout", "fife", 3000, 0, 2999, 45, newest=30)


STORIES = (
    a_quiet_feed_sends_as_its_reader_leaves,
    a_flapping_link_takes_two_ranges,
    nothing_of_one_feed_passed_a_full_pipe,
    one_feed_had_nearly_ended_when_its_reader_came,
    all_had_been_sent_when_its_reader_came,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_what_later_messages_of_another_stream_had_overtaken_was_dropped(report: Json) -> None:
    told = dict.fromkeys(cause for _, cause, _, _ in incidents(report, "viaduct"))
    assert "closed" not in told
    assert ("viaduct → trailer", "slow_receiver", "inferred", 1981) in incidents(report, "viaduct")


def test_most_of_what_was_sent_before_the_reader_came_was_lost_by_that(report: Json) -> None:
    told = {cause: lost for _, cause, _, lost in incidents(report, "culvert")}
    assert told["slow_joiner"] == 1900
    assert "closed" not in told


def test_who_came_as_a_feed_ended_and_read_on_for_long_had_none_of_it_left(report: Json) -> None:
    assert incidents(report, "gully") == [("gully → tarrier", "slow_joiner", "inferred", 1000)]


def test_the_last_message_of_a_quiet_stream_was_not_overtaken_by_what_came_before_it(report: Json) -> None:
    told = {cause for _, cause, _, _ in incidents(report, "footbridge")}
    assert not told & {"slow_receiver", "hwm_too_low"}


def test_each_cut_of_a_flapping_link_takes_its_own_range(report: Json) -> None:
    assert incidents(report, "lift bridge") == [("lift bridge → lookout", "reconnect", "inferred", 52)]
