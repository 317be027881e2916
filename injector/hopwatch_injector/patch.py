"""The RFC 6902 patch that turns a pod into an injected one."""

from collections.abc import Sequence
from typing import Any

from hopwatch.version import VERSION

from hopwatch_injector.eligibility import annotations_of, instrumented
from hopwatch_injector.environment import environment
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import INJECTED, LISTEN
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]
ANY_PORT = "127.0.0.1:0"
PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


def patch(pod: Json, fragment: Fragment, wishes: Wishes) -> list[Json]:
    """Operations, none of which takes anything away. Raises WishError."""
    spec = pod["spec"]
    operations = [_annotation(pod)]
    operations += _list(spec, "/spec/volumes", fragment.volumes)
    for place in instrumented(spec, wishes):
        operations += _container(spec["containers"][place], f"/spec/containers/{place}", fragment, wishes)
    fit = _on_the_hosts_network if spec.get("hostNetwork") else dict
    operations += _list(
        spec, "/spec/initContainers", [fit(one) for one in fragment.init_containers], first=True
    )
    operations += _list(spec, "/spec/containers", [fit(one) for one in fragment.containers])
    return operations


def _annotation(pod: Json) -> Json:
    if not pod.get("metadata"):
        return _add("/metadata", {"annotations": {INJECTED: VERSION}})
    if not annotations_of(pod):
        return _add("/metadata/annotations", {INJECTED: VERSION})
    return _add(f"/metadata/annotations/{INJECTED.replace('/', '~1')}", VERSION)


def _container(container: Json, path: str, fragment: Fragment, wishes: Wishes) -> list[Json]:
    given = fragment.application
    asked = () if wishes.sequence is None else ({"name": "HOPWATCH_SEQUENCE", "value": wishes.sequence},)
    env = environment(container, [*asked, *given.env], given.pythonpath)
    return [_add(f"{path}/env", env), *_list(container, f"{path}/volumeMounts", given.volume_mounts)]


def _list(owner: Json, path: str, items: Sequence[Json], *, first: bool = False) -> list[Json]:
    """Put items into a list of the owner's, at its end or before all others; make the list where there is none."""
    if not items:
        return []
    if not owner.get(path.rpartition("/")[2]):
        return [_add(path, list(items))]
    if first:
        return [_add(f"{path}/{place}", item) for place, item in enumerate(items)]
    return [_add(f"{path}/-", item) for item in items]


def _add(path: str, value: Any) -> Json:
    return {"op": "add", "path": path, "value": value}


def _on_the_hosts_network(container: Json) -> Json:
    """The ports of a host are everybody's: the agent takes one that is free, and nobody can be told to probe it there."""
    env = [
        variable | {"value": ANY_PORT} if variable["name"] == LISTEN else variable
        for variable in container.get("env") or ()
    ]
    kept = {name: value for name, value in container.items() if name not in (*PROBES, "ports", "env")}
    return kept | ({"env": env} if env else {})
