"""Whether a proxy has rested since it told its counts: then they hold still, and nobody has to wake it to ask for them.

A signal that arrives just as a proxy is awake is seen by the application only when its next wait is interrupted. A bare proxy through
which nothing passes is never awake, so ours is not to be either.
"""

from __future__ import annotations

import _thread
import time
from pathlib import Path

FIRST_CHECK = 5.0
LAST_CHECK = 60.0
"""Seconds of rest after which it is asked all the same; each time twice as many. A message that passes between an answer and the sleep
that follows it is in no count and no sleep of its own.
"""

SLEEPS = "voluntary_ctxt_switches:"


class Rest:
    """What is known of one proxy's rest: it has told the same counts twice, and slept ever since.

    For the thread that makes one, which is to be the proxy's own.
    """

    def __init__(self) -> None:
        self._status = Path(f"/proc/self/task/{_thread.get_native_id()}/status")
        self._slept_when_asked: int | None = None
        self._sleeps: int | None = None
        self._patience = FIRST_CHECK
        self._check_at = 0.0

    def lasts(self) -> bool:
        """Whether it has done nothing since it answered."""
        return (
            self._sleeps is not None and self._sleeps == self._slept() and time.monotonic() < self._check_at
        )

    def ask(self) -> None:
        """It is about to be woken by a question."""
        self._sleeps = None
        self._slept_when_asked = self._slept()

    def answered(self, *, anew: bool) -> None:
        """It has answered; ``anew``: other counts than before. To be asleep again takes one more sleep, if all that woke it was the question."""
        if anew or self._slept_when_asked is None:
            self._patience = FIRST_CHECK
            return
        self._sleeps = self._slept_when_asked + 1
        self._check_at = time.monotonic() + self._patience
        self._patience = min(2 * self._patience, LAST_CHECK)

    def _slept(self) -> int | None:
        """How often it has gone to sleep, if it is asleep and that can be known (Linux, proc(5))."""
        try:
            status = self._status.read_text()
        except OSError:
            return None
        asleep = "\nState:\tS" in status
        return int(status.partition(SLEEPS)[2].split()[0]) if asleep and SLEEPS in status else None
