"""ZMQ_CONFLATE keeps one frame, not one message."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp


def conflate_multipart(setup: SetUp, moment: Moment) -> Finding | None:
    """A message of several frames was sent on a socket that conflates."""
    if moment.kind is not Kind.SENT_SEVERAL_FRAMES or setup.option("conflate") != 1:
        return None
    return Finding(
        rule="conflate_multipart",
        text="This socket has ZMQ_CONFLATE on and sent a message of several frames: only the last frame of each arrives, as a message of its own.",
        advice="Send a single frame, or do without ZMQ_CONFLATE and let the receiver skip old messages.",
    )


def conflate_stamped() -> Finding:
    """A conflating receiver got a stamp and nothing with it."""
    return Finding(
        rule="conflate_stamped",
        text="This receiver has ZMQ_CONFLATE on and its sender stamps: of each message only the stamp, its last frame, is kept.",
        advice="Wrap the sender without sequence=, or do without ZMQ_CONFLATE.",
    )
