"""What a socket is promised of a monitor until it is used."""

from __future__ import annotations

from typing import Any, Protocol


class Attaching(Protocol):
    """A monitor that a socket is to get."""

    def before_use(self, socket: Any) -> None:
        """Attach it to the wrapped socket, which is about to be bound or connected."""

    def after_use(self) -> None:
        """Have it drained from now on."""

    def after_close(self) -> None:
        """The socket is closed."""


class NoAttaching:
    """There is none to come."""

    def before_use(self, socket: Any) -> None:
        """Nothing to attach."""

    def after_use(self) -> None:
        """Nothing to drain."""

    def after_close(self) -> None:
        """Nothing to learn from that."""
