"""A table of which one step changes a part, all of it or nothing."""

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Overlay(Generic[K, V]):
    """Changes over a table that stays as it is until they are applied."""

    def __init__(self, base: Mapping[K, V]) -> None:
        self._base = base
        self.changed: dict[K, V | None] = {}

    def get(self, key: K) -> V | None:
        """The value as changed so far."""
        if key in self.changed:
            return self.changed[key]
        return self._base.get(key)

    def put(self, key: K, value: V) -> None:
        """Sets a value."""
        self.changed[key] = value

    def drop(self, key: K) -> None:
        """Takes a value away."""
        if self.get(key) is not None:
            self.changed[key] = None

    def values(self) -> Iterator[V]:
        """All values as changed so far."""
        yield from (value for value in self.changed.values() if value is not None)
        yield from (value for key, value in self._base.items() if key not in self.changed)

    def apply(self, table: MutableMapping[K, V]) -> None:
        """Writes the changes into the table itself."""
        for key, value in self.changed.items():
            if value is None:
                table.pop(key, None)
            else:
                table[key] = value
