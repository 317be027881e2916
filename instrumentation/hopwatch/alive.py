"""Weak references: a collection that threads may change while others iterate (``weakref.WeakSet`` raises then), and methods."""

import weakref
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Alive(Generic[Item]):
    """Of the objects that were added, by identity, those that are still alive."""

    def __init__(self) -> None:
        self._references: dict[int, weakref.ref[Item]] = {}

    def add(self, item: Item) -> None:
        """Take in an object; once, however often it is added."""
        self._references[id(item)] = weakref.ref(item, _forgetting(self._references, id(item)))

    def __iter__(self) -> Iterator[Item]:
        """Those alive at this moment, the oldest first."""
        alive = [reference() for reference in self._references.copy().values()]
        return iter([item for item in alive if item is not None])


def weakly(method: Callable[..., None]) -> Callable[..., None]:
    """Return a callable that does not keep the method's object alive, so that no reference cycle arises."""
    reference = weakref.WeakMethod(method)

    def call(*arguments: object, **options: object) -> None:
        bound = reference()
        if bound is not None:
            bound(*arguments, **options)

    return call


def _forgetting(references: dict[int, weakref.ref[Item]], key: int) -> Callable[[weakref.ref[Item]], None]:
    def forget(gone: weakref.ref[Item]) -> None:
        if references.get(key) is gone:
            references.pop(key, None)

    return forget
