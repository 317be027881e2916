"""Resources that a pod's own containers name, and what is added has to name too.

A quota of a namespace for ``limits.cpu``, say, refuses each pod of which a container does not limit it. And a pod may use as much of its
node's disk as its containers' limits come to, once one of them has any: what is added brings room for its own files.
"""

from collections.abc import Mapping
from typing import Any

from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import AGENT
from hopwatch_injector.parts import containers_of, resources_of
from hopwatch_injector.quality import USUAL
from hopwatch_injector.quantity import size

Json = dict[str, Any]
DISK = "ephemeral-storage"
LEAST = {"cpu": "25m", "memory": "64Mi"}
"""Asked for by what is added, where the fragment does not say."""
DISK_LEAST, DISK_USUAL = "32Mi", "64Mi"
UNBOUNDED_VOLUME = 2 << 30
"""What a volume without a bound is taken to need."""


def naming(container: Json, spec: Json) -> Json:
    """The container, naming what of CPU and memory all of the pod's own name."""
    limits, requests = resources_of(container, "limits"), resources_of(container, "requests")
    limits = {name: _no_less(USUAL[name], requests, name) for name in _named_by_all("limits", spec)} | limits
    requests = {
        name: _no_more(LEAST[name], limits, name) for name in _named_by_all("requests", spec)
    } | requests
    return _with(container, limits, requests)


def with_room_on_disk(container: Json, spec: Json, fragment: Fragment) -> Json:
    """The container, with a limit for its files where any of the pod's own has one, and a request where all have."""
    own = containers_of(spec)
    limits, requests = resources_of(container, "limits"), resources_of(container, "requests")
    if any(DISK in resources_of(one, "limits") for one in own):
        # a request that is not said is as large as the limit
        limits = {DISK: _no_less(_disk(container, fragment), requests, DISK)} | limits
        requests = {DISK: _no_more(DISK_LEAST, limits, DISK)} | requests
    elif all(DISK in resources_of(one, "requests") for one in own):
        requests = {DISK: _no_more(DISK_LEAST, limits, DISK)} | requests
    return _with(container, limits, requests)


def _with(container: Json, limits: Json, requests: Json) -> Json:
    named = {part: found for part, found in (("limits", limits), ("requests", requests)) if found}
    resources = (container.get("resources") or {}) | named
    return container | ({"resources": resources} if resources else {})


def _named_by_all(part: str, spec: Json) -> list[str]:
    own = containers_of(spec)
    return [name for name in USUAL if all(name in resources_of(one, part) for one in own)]


def _no_less(usual: str, requests: Mapping[str, Any], name: str) -> Any:
    return max(usual, requests.get(name, usual), key=size)


def _no_more(usual: str, limits: Mapping[str, Any], name: str) -> Any:
    return min(usual, limits.get(name, usual), key=size)


def _disk(container: Json, fragment: Fragment) -> str:
    """The agent's is of all volumes that are added: whose files they are, nobody counts."""
    if container["name"] != AGENT:
        return DISK_USUAL
    volumes = [volume["emptyDir"] for volume in fragment.volumes if "emptyDir" in volume]
    on_disk = [one.get("sizeLimit", UNBOUNDED_VOLUME) for one in volumes if one.get("medium") != "Memory"]
    return str(int(sum(map(size, on_disk)) + size(DISK_USUAL)))
