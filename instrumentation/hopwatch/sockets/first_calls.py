"""How many of a socket's first sends and receives are still to be looked at one by one; those after them cost nothing by this.

The hot paths begin when the first sends are over, and until then leave all to the slower methods, which look at each.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class FirstCalls:
    """``sends`` and ``receives``: how many are left; ``begun``: there was a send; ``at_once``: the application asked one of them not to wait."""

    sends: int = 1
    receives: int = 0
    begun: bool = False
    at_once: bool = False

    def end(self) -> None:
        """There is nothing more to be looked for."""
        self.sends = self.receives = 0
