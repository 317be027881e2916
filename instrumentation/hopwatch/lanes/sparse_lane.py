"""A lane whose stamps are sparse: what came of it since its last stamp."""

from dataclasses import dataclass

from hopwatch.journal.counters import Words
from hopwatch.words import LANE_UNSTAMPED

Key = tuple[int, bytes | None]
"""A rule (flag bits of a stamp) and what it makes of a message: a topic; None where there is none."""


@dataclass(eq=False, slots=True)
class SparseLane:
    """What came of one lane since its last stamp. ``most`` is more than can lie between two stamps."""

    words: Words
    most: int
    key: Key
    connection: int | None
    since: int = 0
    followed: bool = True

    def give_up(self) -> None:
        """Follow it no more: too many lanes share a connection and a topic. From here on it is taken to lose nothing."""
        self.followed = False
        self.words[LANE_UNSTAMPED] = self.most

    def take(self, between: int) -> int:
        """A stamp has come, so many numbers after the last: how many of those came without one."""
        came = min(self.since, between) if self.followed else between
        self.since -= came
        return came

    def go_on(self, between: int, came: int, *, shared_out: bool) -> None:
        """A lane that was given up is back, so many numbers later; ``came`` may have come meanwhile: which did is not known for certain.

        It is taken to have lost nothing; where a lane is shared out, what did not come here came elsewhere.
        """
        self.since = max(0, between)
        if shared_out:
            self.since = min(self.since, came + self.words[LANE_UNSTAMPED])

    def begin(self) -> int:
        """Count from here, where a stamp was; returns how many more had come than were numbered."""
        surplus, self.since = self.since, 0
        if self.followed:
            self.words[LANE_UNSTAMPED] = 0
        return surplus
