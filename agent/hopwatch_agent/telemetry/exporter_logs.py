"""What exporters log, kept off the agent's own log: they write several lines about each failure."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

LOGGER = "opentelemetry.exporter"


class Heard(logging.Handler):
    """Takes the exporters' lines; ``text`` is the newest."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps it."""
        self.text = record.getMessage()


@contextmanager
def hearing(heard: Heard) -> Iterator[None]:
    """As long as the block runs, the exporters' lines go nowhere else."""
    logger = logging.getLogger(LOGGER)
    logger.addHandler(heard)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(heard)
        logger.propagate = not logger.handlers
