"""What a socket is promised of a monitor until it is used; a socket that gets none has the promise of nothing."""

from typing import Any


class Attaching:
    """A monitor that a socket is to get."""

    def before_use(self, socket: Any) -> None:
        """Attach it to the wrapped socket, which is about to be bound or connected."""

    def after_use(self) -> None:
        """Have it drained from now on."""

    def after_close(self) -> None:
        """The socket is closed."""

    def wake(self) -> None:
        """Have it seen at once that it was detached."""
