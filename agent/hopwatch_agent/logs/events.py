"""How the parts of the agent log: an event's name, and its fields."""

import logging

EVENT_FIELDS = "event_fields"
"""The attribute of a log record that holds the fields of an event; records of libraries have none."""


class EventLogger:
    """Logs events of one module."""

    def __init__(self, module: str) -> None:
        self._logger = logging.getLogger(module)

    def info(self, event: str, /, **fields: object) -> None:
        """What an operator wants to find later."""
        self._logger.info(event, extra={EVENT_FIELDS: fields})

    def warning(self, event: str, /, **fields: object) -> None:
        """What may need somebody."""
        self._logger.warning(event, extra={EVENT_FIELDS: fields})

    def error(self, event: str, /, **fields: object) -> None:
        """What does not work."""
        self._logger.error(event, extra={EVENT_FIELDS: fields})

    def exception(self, event: str, /, **fields: object) -> None:
        """An error of the program, with its traceback; to be called while it is handled."""
        self._logger.exception(event, extra={EVENT_FIELDS: fields})
