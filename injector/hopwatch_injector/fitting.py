"""What the chart adds to every pod, made to fit one."""

from collections.abc import Collection, Mapping
from typing import Any

from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import LISTEN, STOP_SECONDS
from hopwatch_injector.naming import naming, with_room_on_disk
from hopwatch_injector.parts import resources_of
from hopwatch_injector.quality import COUNTED, guaranteed, is_guaranteed

Json = dict[str, Any]
ANY_PORT = "127.0.0.1:0"
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
USUAL_GRACE_SECONDS = 30
KEPT_BACK_SECONDS = 2
"""Between the agent's own end and that at which the node ends it."""
LEAST_SECONDS, MOST_SECONDS = 1, 3600
"""What the agent takes for its end."""


def fitted(container: Json, spec: Json, fragment: Fragment) -> Json:
    """One of the fragment's containers, for this pod."""
    fit = _with_time_to_end(container, spec)
    if spec.get("hostNetwork"):
        fit = _on_the_hosts_network(fit)
    if spec.get("resources"):
        # a pod that asks as a whole is refused where its containers ask for more than that
        fit = _without(COUNTED, fit)
    else:
        fit = naming(guaranteed(fit) if is_guaranteed(spec) else fit, spec)
    return with_room_on_disk(fit, spec, fragment)


def _without(names: Collection[str], container: Json) -> Json:
    """The container, without limits and requests of these."""
    parts = {
        part: {name: value for name, value in resources_of(container, part).items() if name not in names}
        for part in ("limits", "requests")
    }
    resources = {part: named for part, named in parts.items() if named}
    bare = {name: value for name, value in container.items() if name != "resources"}
    return bare | ({"resources": resources} if resources else {})


def _with_time_to_end(container: Json, spec: Json) -> Json:
    """An agent that stops waiting for the application earlier than it has to loses what that says at its end."""
    grace = spec.get("terminationGracePeriodSeconds")
    left = (USUAL_GRACE_SECONDS if grace is None else grace) - KEPT_BACK_SECONDS
    seconds = min(max(LEAST_SECONDS, left), MOST_SECONDS)
    return _with_values(container, {STOP_SECONDS: str(seconds)})


def _on_the_hosts_network(container: Json) -> Json:
    """The ports of a host are everybody's: the agent takes one that is free, and nobody can be told to probe it there."""
    fit = _with_values(container, {LISTEN: ANY_PORT})
    return {name: value for name, value in fit.items() if name not in (*PROBES, "ports")}


def _with_values(container: Json, values: Mapping[str, str]) -> Json:
    """Other values of variables that it has, wherever those it has come from."""
    env = [
        {"name": variable["name"], "value": values[variable["name"]]}
        if variable["name"] in values
        else variable
        for variable in container.get("env") or ()
    ]
    return container | ({"env": env} if env else {})
