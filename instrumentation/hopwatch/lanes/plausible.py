"""Which stamps can be a sender's: whoever can connect to a receiver can send frames that look like some."""

import time
from typing import Any

from hopwatch.journal.counters import Words
from hopwatch.lanes.sending import MOST_LANES
from hopwatch.lanes.topics import LONGEST_TOPIC
from hopwatch.lanes.unstamped import NO_STREAM
from hopwatch.stamp import NO_TIME, WHOLE_STREAM_LANE, Stamp
from hopwatch.words import LANE_FIRST, LANE_NEXT

MOST_NUMBER = 1 << 62
"""No stream has more messages, and no receiver is told to have lost more."""
ASTRAY = 1 << 16
"""So far may a lane be ahead of its stream: a send that a signal handler ends may be counted in its lane alone."""
MOST_A_SECOND = 100_000_000
"""More messages than any sender sends. One second of them is for what waits when a receiver is wrapped."""


def is_of_a_sender(stamp: Stamp, first_frame: Any) -> bool:
    """Whether each field is one that a sender writes. ``first_frame``: of its message."""
    return (
        stamp.sent_at != NO_TIME
        and stamp.stream != NO_STREAM
        and (stamp.lane < MOST_LANES or stamp.lane == WHOLE_STREAM_LANE)
        and stamp.topic_length <= min(LONGEST_TOPIC, len(first_frame))
        and stamp.number <= MOST_NUMBER
        and stamp.lane_number <= stamp.number + ASTRAY
    )


class Reach:
    """How far apart a lane's numbers can be: what there was time to send since its receiver ``began``."""

    def __init__(self, began: float) -> None:
        self._began = began
        self._messages = MOST_A_SECOND

    def holds(self, words: Words, stamp: Stamp) -> bool:
        """Whether a lane that came so far can have this stamp."""
        apart = max(stamp.lane_number - words[LANE_FIRST], words[LANE_NEXT] - stamp.lane_number)
        if apart > self._messages:
            self._messages = int(MOST_A_SECOND * (1 + time.monotonic() - self._began))
        return apart <= self._messages and stamp.number <= MOST_NUMBER and stamp.sent_at != NO_TIME
