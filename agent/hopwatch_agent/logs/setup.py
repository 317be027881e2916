"""Putting the log to work for as long as an agent runs."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from hopwatch_agent.logs.formats import JsonFormat, TextFormat
from hopwatch_agent.logs.limit import LimitedHandler
from hopwatch_agent.settings.sections import LogSettings


@contextmanager
def logging_to(stream: TextIO, settings: LogSettings) -> Iterator[LimitedHandler]:
    """All that is logged in the process goes to the stream while the block runs."""
    target = logging.StreamHandler(stream)
    as_json = settings.format == "json" or (settings.format == "auto" and not stream.isatty())
    target.setFormatter(JsonFormat() if as_json else TextFormat())
    handler = LimitedHandler(target)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(settings.level.upper())
    logging.captureWarnings(capture=True)
    try:
        yield handler
    finally:
        handler.tell_left_out(at_end=True)
        logging.captureWarnings(capture=False)
        root.setLevel(before)
        root.removeHandler(handler)
