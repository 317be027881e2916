"""Attributes of other people's modules and classes, replaced and put back."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Function = Callable[..., Any]

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


def exchange_functions(new_for_old: Mapping[Function, Function]) -> None:
    """In every module of pyzmq: applications, and pyzmq's own modules, know its functions under several names."""
    names = {function.__name__ for function in new_for_old}
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] != "zmq":
            continue
        for name in names & vars(module).keys():
            value = vars(module)[name]
            if callable(value) and value in new_for_old:
                setattr(module, name, new_for_old[value])
