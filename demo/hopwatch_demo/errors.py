"""Errors of the demo."""

from hopwatch.errors import HopwatchError


class DemoError(HopwatchError):
    """The demo cannot go on; the text says why."""
