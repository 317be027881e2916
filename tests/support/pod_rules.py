"""What the API server asks of a pod beyond the shape of its fields: the rules that what is added could break.

They are in its own words in ``pkg/apis/core/validation`` of Kubernetes.
"""

import posixpath
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

Json = dict[str, Any]
MOST_ANNOTATION_BYTES = 262_144
QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]*)?)(|m|k|M|G|Ki|Mi|Gi)")
FACTORS = {
    "": 1,
    "m": Decimal("0.001"),
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
}


def broken(pod: Json) -> list[str]:
    """Each rule that the pod breaks."""
    return list(_broken(pod))


def _broken(pod: Json) -> Iterator[str]:
    spec = pod["spec"]
    annotations = pod["metadata"].get("annotations") or {}
    if (
        sum(len(name.encode()) + len(value.encode()) for name, value in annotations.items())
        > MOST_ANNOTATION_BYTES
    ):
        yield "its annotations are too long"
    containers = [*(spec.get("initContainers") or ()), *spec["containers"]]
    yield from _doubled("container", [one["name"] for one in containers])
    volumes = [one["name"] for one in spec.get("volumes") or ()]
    yield from _doubled("volume", volumes)
    for volume in spec.get("volumes") or ():
        size(volume.get("emptyDir", {}).get("sizeLimit", 0))
    for container in containers:
        yield from _of_container(container, set(volumes))


def _of_container(container: Json, volumes: set[str]) -> Iterator[str]:
    name = container["name"]
    mounts = container.get("volumeMounts") or ()
    yield from _doubled(f"mount of {name}", [posixpath.normpath(mount["mountPath"]) for mount in mounts])
    yield from (
        f"{name} mounts {mount['name']}, which is no volume"
        for mount in mounts
        if mount["name"] not in volumes
    )
    for variable in container.get("env") or ():
        if "valueFrom" in variable and ("value" in variable or len(variable["valueFrom"]) != 1):
            yield f"{name}: {variable['name']} has several values"
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    for quantity in limits.values():
        size(quantity)
    for resource, asked in (resources.get("requests") or {}).items():
        if resource in limits and size(asked) > size(limits[resource]):
            yield f"{name} asks for {asked} of {resource}, and is limited to {limits[resource]}"


def size(quantity: Any) -> Decimal:
    """Fails for what is none."""
    found = QUANTITY.fullmatch(str(quantity))
    assert found, f"{quantity!r} is no quantity"
    return Decimal(found[1]) * FACTORS[found[2]]


def _doubled(what: str, names: list[str]) -> Iterator[str]:
    yield from (f"{what} {name} is there twice" for name in sorted(set(names)) if names.count(name) > 1)
