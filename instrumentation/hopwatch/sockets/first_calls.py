"""How many of a socket's first sends and receives are still to be looked at one by one, and from which threads it is called.

Calls after the first ones cost nothing by this: threads that from then on do nothing but send and receive without ever waiting are missed. The hot paths begin when the first sends are over, and until then leave all to the slower methods, which look at each.
"""

import threading
from dataclasses import dataclass, field

MOST_REMEMBERED = 64


@dataclass(slots=True)
class FirstCalls:
    """``sends`` and ``receives``: how many are left; ``begun``: there was a send; ``at_once``: the application asked one of them not to wait."""

    sends: int = 1
    receives: int = 0
    begun: bool = False
    at_once: bool = False


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
