"""Parts of a pod, one or more of which it may not have."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def containers_of(spec: Json) -> list[Json]:
    """The pod's containers, those that prepare first."""
    return [*(spec.get("initContainers") or ()), *spec["containers"]]


def annotations_of(pod: Json) -> Mapping[str, Any]:
    """Of a pod that may have none."""
    return (pod.get("metadata") or {}).get("annotations") or {}


def resources_of(container: Json, part: str) -> Json:
    """Its ``limits`` or its ``requests``."""
    found: Json = (container.get("resources") or {}).get(part) or {}
    return found
