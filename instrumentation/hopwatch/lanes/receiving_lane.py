"""What a receiver knows of one lane."""

from dataclasses import dataclass, field

from hopwatch.journal.counters import Slot, Words
from hopwatch.lanes.open_gaps import OpenGaps
from hopwatch.lanes.sparse_lane import SparseLane


@dataclass
class ReceivingLane:
    """One lane as this receiver sees it. ``words`` is None where it cannot be checked; ``label`` is what its stamps end with."""

    topic: bytes
    words: Words | None
    slot: Slot | None = None
    label: bytes = b""
    newest_number: int = 0
    paused: bool = False
    sparse: SparseLane | None = None
    open_gaps: OpenGaps = field(default_factory=OpenGaps)
