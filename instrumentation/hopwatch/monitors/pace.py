"""How promptly the monitor thread does what can wait."""

import time
from dataclasses import dataclass, field

PROMPT_WAKES = 200.0
PROMPT_WAKES_A_SECOND = 2.0

SHORTEST_PAUSE = 0.2
LONGEST_PAUSE = 0.8
"""Seconds; each pause is the next shorter one doubled."""

SHARE = 0.003
"""Of a core, for the thread: the pauses are as long as that takes, up to the longest."""

LOOKED_BACK = 0.5
"""Over so many seconds, or more, the share is taken."""


@dataclass
class Pace:
    """Wake-ups are prompt as long as they are few: counts that go with a connection are read when it comes up.

    Past that, and for chores at all times, there are pauses, which all of them end together: a wake-up costs more than what is done in it.
    """

    allowance: float = PROMPT_WAKES
    as_of: float = field(default_factory=time.monotonic)
    pause: float = SHORTEST_PAUSE
    _share_from: tuple[float, float] | None = None

    def is_prompt(self) -> bool:
        """Count one wake-up; False if there have been too many."""
        now = time.monotonic()
        self.allowance = min(PROMPT_WAKES, self.allowance + (now - self.as_of) * PROMPT_WAKES_A_SECOND)
        self.as_of = now
        self.allowance = max(self.allowance - 1, 0)
        return self.allowance > 0

    def adapt(self, now: float, cpu: float) -> None:
        """Lengthen or shorten the pauses by the CPU time, in seconds, that the thread has taken by now."""
        since, cpu_then = self._share_from or (now, cpu)
        if now - since < LOOKED_BACK:
            self._share_from = (since, cpu_then)
            return
        share = (cpu - cpu_then) / (now - since)
        self._share_from = (now, cpu)
        while share > SHARE and self.pause < LONGEST_PAUSE:
            self.pause, share = self.pause * 2, share / 2
        while share < SHARE / 3 and self.pause > SHORTEST_PAUSE:
            self.pause, share = self.pause / 2, share * 2

    def next_time(self, now: float, seconds: float) -> float:
        """When to do a chore again that would wait so long: at the end of a pause, as others. What is shorter than a pause is left as it is."""
        if seconds < SHORTEST_PAUSE:
            return now + seconds
        pause = max(seconds, self.pause)
        return (now // pause + 1) * pause
