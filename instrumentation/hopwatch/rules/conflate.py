"""ZMQ_CONFLATE keeps one frame, not one message."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp


def conflate_multipart(setup: SetUp, moment: Moment) -> Finding | None:
    """A message of several frames was sent on a socket that conflates."""
    if moment.kind is not Kind.SENT_SEVERAL_FRAMES or setup.option("conflate") != 1:
        return None
    return Finding(
        rule="conflate_multipart",
        text=(
            f"This {setup.type_name} has ZMQ_CONFLATE on and sent a message of several frames: libzmq keeps or drops each frame by itself, "
            "so that most often the last one arrives alone, and at times another one does."
        ),
        advice="Send a single frame, or do without ZMQ_CONFLATE and let the receiver skip old messages.",
    )
