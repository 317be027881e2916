"""Messages put together frame by frame, for the sequence that reads their numbers."""

from typing import Any

from hopwatch.frames import as_bytes
from hopwatch.lanes.sequenced import SequencedLanes
from hopwatch.lanes.unstamped import connection_of


class Reading:
    """The frames of the message that is under way, in one direction, and the lanes of those before it."""

    def __init__(self, lanes: SequencedLanes) -> None:
        self.lanes = lanes
        self._frames: list[bytes] = []
        self._connection: int | None = None

    def add(self, frame: Any, more: bool) -> None:
        """One frame (in any form that pyzmq takes or gives), which others of its message follow or not."""
        if not self._frames:
            self._connection = connection_of(frame)
        self._frames.append(as_bytes(frame))
        if not more:
            frames, self._frames = self._frames, []
            self.lanes.take(frames, self._connection)
