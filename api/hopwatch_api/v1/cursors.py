"""Cursors: places in a list as clients carry them from one page to the next.

Each list has a pattern, and whatever fits it is a place in the list: no cursor that was ever given stops to be one.
"""

from dataclasses import dataclass

from hopwatch_agent.live.asking import Key, PageAsked

_ID = "[0-9a-f]{16}"
_NUMBER = "[0-9]{1,19}"
_SOURCE = "[01]"


@dataclass(frozen=True)
class Cursor:
    """How places in one list are written: ``kinds`` is, part by part, whether it is a number."""

    pattern: str
    numbers: tuple[bool, ...]

    def written(self, key: Key) -> str:
        """A place as text."""
        return "-".join(map(str, key))

    def read(self, text: str) -> Key:
        """A place of a text that fits the pattern."""
        parts = text.split("-")
        return tuple(int(part) if number else part for part, number in zip(parts, self.numbers, strict=True))


def _cursor(*parts: str) -> Cursor:
    return Cursor(f"^{'-'.join(parts)}$", tuple(part in (_NUMBER, _SOURCE) for part in parts))


SOCKETS = _cursor(_NUMBER, _ID)
INCIDENTS = _cursor(_SOURCE, _NUMBER, _ID)
FINDINGS = _cursor(_NUMBER, _ID, _NUMBER)
LANES = _cursor(_ID, _ID, _NUMBER)
CONNECTIONS = _cursor(_ID, _NUMBER, f"(?:{_ID})?")


def page_asked(cursor: Cursor, place: str | None, limit: int | None) -> PageAsked:
    """The page as the agent takes it."""
    return PageAsked(None if place is None else cursor.read(place), limit)
