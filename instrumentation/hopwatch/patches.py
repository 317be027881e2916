"""Attributes of other people's modules and classes, replaced and put back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

NOT_ITS_OWN = object()
"""What stands for an attribute that its owner did not have by itself: a class inherits it, or nobody has it."""


@dataclass
class Patches:
    """What was replaced, and what stood there before."""

    _replaced: list[tuple[Any, str, Any, Any]] = field(default_factory=list)

    def replace(self, owner: Any, name: str, value: Any) -> None:
        """Give a module or class another value under a name."""
        self._replaced.append((owner, name, value, vars(owner).get(name, NOT_ITS_OWN)))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Put everything back, the last first. What somebody else has replaced since then is left to them."""
        while self._replaced:
            owner, name, value, before = self._replaced.pop()
            if vars(owner).get(name) is not value:
                continue
            if before is NOT_ITS_OWN:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
