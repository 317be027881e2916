"""A table of which one step changes a part, all of it or nothing."""

from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Generic, Protocol, TypeVar

from hopwatch_agent.live.limits import share


class Owned(Protocol):
    """What belongs to a process."""

    @property
    def process(self) -> str:
        """The process's id."""


K = TypeVar("K")
V = TypeVar("V", bound=Owned)


class Overlay(Generic[K, V]):
    """Changes over a table that stays as it is until they are applied.

    ``limit``: how many values there may be, one process's no more than its share; ``size``: how many there are.
    """

    def __init__(self, base: Mapping[K, V], limit: int | None = None) -> None:
        self._base = base
        self._limit = limit
        self.size = len(base)
        self._of_process: Counter[str] | None = None
        self.changed: dict[K, V | None] = {}

    def get(self, key: K) -> V | None:
        """The value as changed so far."""
        if key in self.changed:
            return self.changed[key]
        return self._base.get(key)

    def put(self, key: K, value: V) -> bool:
        """Sets a value; False if it would be a new one and there is no room for it."""
        if self.get(key) is None and not self._took_room(value.process):
            return False
        self.changed[key] = value
        return True

    def drop(self, key: K) -> None:
        """Takes a value away."""
        value = self.get(key)
        if value is not None:
            self.changed[key] = None
            self.size -= 1
            if self._of_process is not None:
                self._of_process[value.process] -= 1

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

    def _took_room(self, process: str) -> bool:
        if self._limit is not None and self.size >= share(self._limit):
            # only now can one process have more than its share
            if self._of_process is None:
                self._of_process = Counter(value.process for value in self.values())
            if self.size >= self._limit or self._of_process[process] >= share(self._limit):
                return False
        self.size += 1
        if self._of_process is not None:
            self._of_process[process] += 1
        return True
