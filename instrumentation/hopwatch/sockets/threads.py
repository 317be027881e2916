"""From which threads a socket is called: looked at in its first sends and receives (``first_calls.py``) and where a call is slow anyway.

After those, threads that do nothing but send and receive without ever waiting are missed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

MOST_REMEMBERED = 64


@dataclass
class Callers:
    """Threads that called, as the operating system numbers them: greenlets of one thread are one. Handing a socket on for good is fine, and so is a thread that has ended."""

    current: int = field(default_factory=threading.get_native_id)
    before: set[int] = field(default_factory=set)

    def alternate(self) -> bool:
        """Whether the calling thread took turns with another one, both alive."""
        caller = threading.get_native_id()
        if caller == self.current:
            return False
        other, self.current = self.current, caller
        came_back = caller in self.before
        if len(self.before) < MOST_REMEMBERED:
            self.before.add(other)
        return came_back and any(thread.native_id == other for thread in threading.enumerate())
