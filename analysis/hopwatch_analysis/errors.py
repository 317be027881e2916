"""What can go wrong with an analysis as a whole."""

from hopwatch.errors import HopwatchError


class AnalysisError(HopwatchError):
    """The analysis cannot be made; the message says why, for the terminal."""


class UnusableInputError(AnalysisError):
    """Nothing that was given can be read."""


class NothingLandedError(UnusableInputError):
    """There is nothing yet, or no more, where agents should have landed files."""
