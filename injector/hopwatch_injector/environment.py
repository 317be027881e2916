"""What an instrumented container's environment becomes: nothing that it had is lost."""

from collections.abc import Sequence
from typing import Any

from hopwatch_injector.names import PYTHONPATH, PYTHONPATH_BEFORE

Json = dict[str, Any]


def environment(container: Json, added: Sequence[Json], pythonpath: str) -> list[Json]:
    """Its variables, those that are added where it has none of that name, and ``pythonpath`` before its own ``PYTHONPATH``.

    Order is kept: a value may refer to those before it as ``$(NAME)``. Of a name that is there twice, the last counts.
    """
    own: list[Json] = container.get("env") or []
    names = {variable["name"] for variable in own}
    first = [variable for variable in added if variable["name"] not in names]
    return [*first, *_with_pythonpath(own, pythonpath, inherits=bool(container.get("envFrom")))]


def _with_pythonpath(own: Sequence[Json], pythonpath: str, *, inherits: bool) -> list[Json]:
    if not any(variable["name"] == PYTHONPATH for variable in own):
        # envFrom may bring one: where it does not, what is not resolved names a folder that is not there
        value = f"{pythonpath}:$({PYTHONPATH})" if inherits else pythonpath
        return [*own, {"name": PYTHONPATH, "value": value}]
    return [one for variable in own for one in _prefixed(variable, pythonpath)]


def _prefixed(variable: Json, pythonpath: str) -> list[Json]:
    if variable["name"] != PYTHONPATH:
        return [variable]
    if "valueFrom" in variable:
        before = variable | {"name": PYTHONPATH_BEFORE}
        return [before, {"name": PYTHONPATH, "value": f"{pythonpath}:$({PYTHONPATH_BEFORE})"}]
    value = variable.get("value") or ""
    return [{"name": PYTHONPATH, "value": f"{pythonpath}:{value}" if value else pythonpath}]
