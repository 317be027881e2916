"""What pyzmq's modules and classes hold, to be compared with what they held before."""

import sys
from types import ModuleType

Attributes = dict[tuple[str, str], object]


def pyzmq_attributes() -> Attributes:
    """Every attribute of pyzmq's modules, and of the classes in them.

    Python makes a class its empty ``__annotations__`` when an option of a socket is first set.
    """
    found: Attributes = {}
    for module_name, module in sys.modules.items():
        if module_name.partition(".")[0] != "zmq" or not isinstance(module, ModuleType):
            continue
        for name, value in vars(module).items():
            found[module_name, name] = value
            if isinstance(value, type):
                found.update({(f"{module_name}.{name}", key): item for key, item in vars(value).items()})
    return {place: value for place, value in found.items() if place[1] != "__annotations__"}


def changed(before: Attributes) -> set[tuple[str, str]]:
    """Which of these are others now."""
    after = pyzmq_attributes()
    return {key for key in before.keys() | after.keys() if before.get(key) is not after.get(key)}
