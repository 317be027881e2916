"""A few cells that show how much was going on."""

from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"


def sparkline(rates: Sequence[float], cells: int) -> str:
    """The last so many, the newest at the right, against the largest of all; nothing at all is blank."""
    last = rates[-cells:]
    largest = max(rates, default=0.0)
    if not largest:
        return ""
    drawn = "".join(_bar(rate / largest) if rate else " " for rate in last)
    return drawn.rjust(cells)


def _bar(share: float) -> str:
    return BARS[min(len(BARS) - 1, int(share * len(BARS)))]
