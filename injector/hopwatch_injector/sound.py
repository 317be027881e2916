"""Whether Kubernetes would take what is added: a pod with a container that it refuses is not made at all."""

import re
from collections.abc import Iterator
from typing import Any

from hopwatch_injector.errors import FragmentError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.parts import resources_of
from hopwatch_injector.quantity import amount, size

Json = dict[str, Any]
RESOURCES = {"cpu", "memory", "ephemeral-storage"}
VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
"""What all versions of Kubernetes take for the name of one."""
SOURCES = {"fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"}


def require_sound(fragment: Fragment) -> None:
    """Raises FragmentError with all that Kubernetes would refuse of images, variables, mounts and resources."""
    application = fragment.application
    problems = list(_of_variables("the application", application.env))
    problems += _of_mounts("the application", application.volume_mounts, fragment)
    for container in (*fragment.init_containers, *fragment.containers):
        problems += _of_variables(container["name"], container.get("env") or ())
        problems += _of_mounts(container["name"], container.get("volumeMounts") or (), fragment)
        problems += _of_resources(container)
        problems += [] if container.get("image") else [f"{container['name']} has no image"]
    problems += _of_volumes(fragment)
    if problems:
        raise FragmentError("\n".join(problems))


def _of_variables(of: str, env: Any) -> Iterator[str]:
    for variable in env:
        name, source = variable.get("name"), variable.get("valueFrom")
        if not isinstance(name, str) or not VARIABLE.fullmatch(name):
            yield f"{of}: {name!r} is no name of a variable"
        if source is not None and ("value" in variable or len(source) != 1 or not source.keys() <= SOURCES):
            yield f"{of}: {name} takes its value from one of {', '.join(sorted(SOURCES))}, or says it"


def _of_mounts(of: str, mounts: Any, fragment: Fragment) -> Iterator[str]:
    for mount in mounts:
        if mount.get("name") not in fragment.volume_names or not mount.get("mountPath"):
            yield f"{of} mounts {mount.get('name')!r} at {mount.get('mountPath')!r}: it has to be one of the volumes, and at a path"


def _of_volumes(fragment: Fragment) -> Iterator[str]:
    for volume in fragment.volumes:
        limit = (volume.get("emptyDir") or {}).get("sizeLimit")
        if limit is not None and isinstance(amount(limit), str):
            yield f"the volume {volume['name']} cannot be of {limit!r}: it is no quantity"


def _of_resources(container: Json) -> Iterator[str]:
    limits, requests = resources_of(container, "limits"), resources_of(container, "requests")
    for name in sorted(limits.keys() | requests.keys()):
        if name not in RESOURCES:
            yield f"{container['name']}: {name} is none of {', '.join(sorted(RESOURCES))}"
    for part in (limits, requests):
        for name, quantity in part.items():
            if isinstance(amount(quantity), str):
                yield f"{container['name']}: {name} {quantity!r} is no quantity"
    for name in sorted(limits.keys() & requests.keys()):
        if size(requests[name]) > size(limits[name]):
            yield f"{container['name']} asks for {requests[name]} of {name}, and is limited to {limits[name]}"
