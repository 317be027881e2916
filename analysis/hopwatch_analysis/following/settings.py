"""What a following job is told: which files, where to, and for how long to wait for what."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from hopwatch_judge.thresholds import STRETCH_PAUSE

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.following.defaults import EVERY, LATE, WINDOW

LEAST_WINDOW_IN_WAITS = 4


@dataclass(frozen=True)
class Following:
    """All times are seconds. ``late``: files may come so much later than what they tell of. ``window``: samples are read so
    far back. ``every``: at most so often, the files are looked at; ``once``: what is there now, and no more.
    """

    events: tuple[str, ...]
    out: Path
    guard: float
    late: float = LATE
    window: float = WINDOW
    every: float = EVERY
    once: bool = False

    def __post_init__(self) -> None:
        least = LEAST_WINDOW_IN_WAITS * self.wait
        if self.window < least:
            raise AnalysisError(
                f"--window {self.window:g} is too short for --late {self.late:g} and --guard {self.guard:g}: "
                f"an incident is closed {self.wait:g} s after its end at the earliest, so say {least:g} or more"
            )

    @property
    def wait(self) -> float:
        """How long after its end an incident is closed: nothing can be added to it any more."""
        return self.guard + self.late + STRETCH_PAUSE

    @property
    def longest(self) -> float:
        """What lasts longer is told of in parts."""
        return self.window / 4

    def horizon(self, newest: datetime) -> datetime:
        """What ended by then is closed."""
        return newest - timedelta(seconds=self.wait)

    @property
    def checkpoint(self) -> Path:
        return self.out / "checkpoint"
