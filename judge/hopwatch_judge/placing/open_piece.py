"""A part of a missing range while its hop is sought: from the sender outward, hop by hop."""

from typing import NamedTuple

from hopwatch_judge.case import Edge, Way
from hopwatch_judge.steps import Missing

Messages = tuple[str, int, Edge, int, int]
"""Messages on one hop, whoever behind it lacks them: stream, lane, hop, first, last."""
ENDS = ("tail", "all")
"""Parts of a lane with nothing behind them."""


class OpenPiece(NamedTuple):
    """Numbers that a receiver lacks. ``depth`` is the first hop that may have lost them.

    ``placed`` is the hop that did, once that is known. ``handed``: they were sent after the proxy there had
    replaced another (None: not known, or not asked).
    """

    missing: Missing
    way: Way
    depth: int
    placed: int | None = None
    handed: bool | None = None

    def is_open_at(self, depth: int) -> bool:
        """Return whether the hop at this depth is the first that may have lost it, and not known to have."""
        return self.placed is None and self.depth == depth

    @property
    def is_end(self) -> bool:
        return self.missing.part in ENDS

    def edge(self, depth: int) -> Edge:
        """Return the sockets of the hop at this depth."""
        return self.way.hops[depth - 1].edge

    def messages(self, depth: int) -> Messages:
        """Return the key that all behind the hop at this depth share who lack the same."""
        missing = self.missing
        return missing.stream, missing.lane, self.edge(depth), missing.first, missing.last
