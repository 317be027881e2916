"""A story of two losses that goes on: a publisher on one host, a reader on another."""

from landed_folder import LandedFolder

ENDS = 400
SAMPLES_EVERY = 5


def feed_with_two_losses() -> LandedFolder:
    """A PUB on one host and a SUB on another, that loses 50 messages at second 20 and 30 at second 100."""
    story = LandedFolder()
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
