"""What the monitor thread does besides draining monitors."""

from __future__ import annotations

from typing import Protocol

import zmq


class Chore(Protocol):
    """Something to do again and again."""

    @property
    def socket(self) -> zmq.Socket[bytes]:
        """Closed once the chore is over."""

    def run(self) -> float | None:
        """Do it, without waiting; in how many seconds, about, to do it again. None: it is over, and its socket closed."""
