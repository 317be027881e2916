"""What the monitor thread does besides draining monitors."""

from __future__ import annotations

from typing import Protocol

import zmq


class Chore(Protocol):
    """Something to do again and again, and whenever something has come to its socket."""

    @property
    def socket(self) -> zmq.Socket[bytes]:
        """Where what comes is to be seen to at once."""

    def run(self) -> float | None:
        """Do it; in how many seconds to do it again. None: it is over, and its socket closed."""
