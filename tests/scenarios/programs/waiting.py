"""Waiting a while, also where libfaketime gives a program another wall clock: ``time.sleep`` fails under it, or never returns."""

import select


def wait(seconds: float) -> None:
    """Return after so many seconds."""
    select.select([], [], [], seconds)
