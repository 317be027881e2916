"""How promptly the monitor thread answers a wake-up."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

PROMPT_WAKES = 200.0
PROMPT_WAKES_A_SECOND = 2.0


@dataclass
class Pace:
    """Wake-ups are prompt as long as they are few: counts that go with a connection are read when it comes up."""

    allowance: float = PROMPT_WAKES
    as_of: float = field(default_factory=time.monotonic)

    def is_prompt(self) -> bool:
        """Count one wake-up; False if there have been too many."""
        now = time.monotonic()
        self.allowance = min(PROMPT_WAKES, self.allowance + (now - self.as_of) * PROMPT_WAKES_A_SECOND)
        self.as_of = now
        self.allowance = max(self.allowance - 1, 0)
        return self.allowance > 0
