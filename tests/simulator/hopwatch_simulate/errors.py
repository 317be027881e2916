"""What can go wrong when a fleet is simulated."""

from hopwatch.errors import HopwatchError


class SimulationError(HopwatchError):
    """A fleet could not be simulated, or its files not be read or written."""
