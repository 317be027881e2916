"""A story of two losses that goes on: a publisher on one host, a reader on another."""

from landed_folder import PAST, LandedFolder
from told_connections import ToldConnection

ENDS = 400
SAMPLES_EVERY = 5


def feed_with_two_losses() -> LandedFolder:
    """A PUB on one host and a SUB on another, that loses 50 messages at second 20 and 30 at second 100."""
    story = LandedFolder(start=PAST)
    story.socket("quotes", "PUB", host="near")
    story.socket("reader", "SUB", host="far")
    story.subscribe("reader", "")
    story.link("quotes", "reader")
    for number, seconds in ((150, 20), (950, 100)):
        story.onset("quotes", number, seconds)
    story.gap("reader", "quotes", 150, 199, (20, 22))
    story.gap("reader", "quotes", 950, 979, (100, 102))
    for second in range(SAMPLES_EVERY, ENDS, SAMPLES_EVERY):
        sent = second * 10
        lost = 50 * (second > 21) + 30 * (second > 101)
        story.sent("quotes", sent, second, final=False)
        story.got("reader", "quotes", sent - lost, 0, sent - 1, second, final=False)
        story.counters("quotes", second, sent=sent)
        story.counters("reader", second, received=sent - lost)
    return story


def feed_that_outlives_a_reader(until: int) -> LandedFolder:
    """A PUB and two SUBs, of which one is killed at second 40, when it had read all but the last 30 messages."""
    story = LandedFolder(start=PAST)
    story.socket("feed", "PUB")
    for reader in ("gone", "stays"):
        story.socket(reader, "SUB")
        story.subscribe(reader, "")
    ToldConnection(story, "feed", "gone").down(40, 2000, told_by="feed")
    ToldConnection(story, "feed", "stays")
    for second in range(SAMPLES_EVERY, until, SAMPLES_EVERY):
        sent = 50 * second
        story.sent("feed", sent, second, final=False)
        story.got("stays", "feed", sent, 0, sent - 1, second + 0.1, newest=second, final=False)
    story.got("gone", "feed", 1970, 0, 1969, 39.9, newest=39.4, final=False)
    story.killed("gone", 40.4)
    return story
