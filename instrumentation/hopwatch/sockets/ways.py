"""How sends and receives come to an instrumented socket."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from hopwatch.sockets.backend import DONTWAIT

NOTHING_ELSE = nullcontext()

Methods = dict[str, Callable[..., Any]]
"""Functions made for one socket's counters, by the attribute names that the socket keeps them under."""


@dataclass
class Way:
    """How this socket's sends and receives come to us: ``plain_flags`` are the flags of one that the application gave none.

    ``sends_deferred`` and ``receives_deferred``: a refused one is not answered to the application but waited for, by pyzmq.
    ``asynchronous``: an event loop of pyzmq's is between.
    """

    plain_flags: int = 0
    sends_deferred: bool = False
    receives_deferred: bool = False
    asynchronous: bool = False

    def answers(self, flags: Any) -> AbstractContextManager[None]:
        """Around a call with these flags: with DONTWAIT a refusal is the application's answer, whoever else would wait."""
        return self._answering() if asks_at_once(flags) else NOTHING_ELSE

    @contextmanager
    def _answering(self) -> Iterator[None]:
        before = self.sends_deferred, self.receives_deferred
        self.sends_deferred = self.receives_deferred = False
        try:
            yield
        finally:
            self.sends_deferred, self.receives_deferred = before


def asks_at_once(flags: Any) -> bool:
    """Whether DONTWAIT is among the flags."""
    return isinstance(flags, int) and bool(flags & DONTWAIT)
