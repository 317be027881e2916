"""Weak references: a collection that threads may change while others iterate (``weakref.WeakSet`` raises then), and methods."""

import weakref
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Alive(Generic[Item]):
    """Of the objects that were added, by identity, those that are still alive."""

    def __init__(self) -> None:
        self._by_identity: weakref.WeakValueDictionary[int, Item] = weakref.WeakValueDictionary()

    def add(self, item: Item) -> None:
        """Take in an object; once, however often it is added."""
        self._by_identity[id(item)] = item

    def __iter__(self) -> Iterator[Item]:
        """Those alive at this moment, the oldest first."""
        alive = [reference() for reference in self._by_identity.valuerefs()]
        return iter([item for item in alive if item is not None])


def weakly(method: Callable[..., None]) -> Callable[..., None]:
    """Return a callable that does not keep the method's object alive, so that no reference cycle arises."""
    reference = weakref.WeakMethod(method)

    def call(*arguments: object, **options: object) -> None:
        bound = reference()
        if bound is not None:
            bound(*arguments, **options)

    return call
