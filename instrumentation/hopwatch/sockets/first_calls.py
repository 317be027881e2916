"""The first calls of a socket's ``send`` and ``recv``, looked at one by one; those after them cost nothing by this.

A function stands before the usual one in the socket's own class, and takes itself away again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hopwatch.sockets.hooks import HookedSocket

LOOKED_AT = 1000
METHODS = ("send", "recv")

Look = Callable[[str, bool], bool]
"""Looks at a call of the named method, whether it is the first of these; tells whether there is more to be looked for. It raises nothing."""


class FirstCalls(Protocol):
    """Follows a socket, in whatever class it is given."""

    def follow(self, socket: HookedSocket) -> None:
        """Look at the calls to come of a socket whose class is new."""


class NoFirstCalls:
    """Nothing is looked at."""

    def follow(self, socket: HookedSocket) -> None:
        """Leave it alone."""


class LookedAt:
    """Asks ``look`` for so many calls of each method, or until there is nothing more to be looked for."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._left = dict.fromkeys(METHODS, LOOKED_AT)

    def follow(self, socket: HookedSocket) -> None:
        """Stand before the methods that were made for this socket."""
        methods = type(socket)._hopwatch_methods
        for name in METHODS:
            if name not in methods or not self._left[name]:
                continue
            usual = methods[name]
            for cls in type(socket).__mro__:
                if vars(cls).get(name) is usual:
                    setattr(cls, name, self._before(cls, name, usual))

    def _before(self, cls: type, name: str, usual: Any) -> Callable[..., Any]:
        @functools.wraps(usual)
        def call(socket: Any, *args: Any, **kwargs: Any) -> Any:
            left = self._left[name]
            if left:
                more = self._look(name, left == LOOKED_AT)
                self._left[name] = left - 1 if more else 0
            if not self._left[name] and vars(cls).get(name) is call:
                setattr(cls, name, usual)
            return usual(socket, *args, **kwargs)

        return call
