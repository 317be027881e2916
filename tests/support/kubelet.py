"""What a node does to a pod before its containers run and podman does not: a pod as the API server keeps it in, one that podman plays out."""

import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
NODE = "node-7"
NAMESPACE = "trading"
MOST_OF_PODMAN = 63
"""Characters of an annotation, where Kubernetes takes a quarter of a million bytes."""
LEFT_OUT = ("restartPolicy", "ports", "startupProbe", "readinessProbe", "livenessProbe")


def scheduled(pod: Json, volumes: Path, in_memory: Path) -> Json:
    """The pod on a node: variables are filled in, volumes are folders that anybody may write to, and what goes on is a container.

    Volumes "in memory" are in a folder of a file system in memory, which counts as the memory of who writes there.
    Probes are left out, since podman knows no such ones, and so are ports, which it would open on this machine.
    """
    pod = copy.deepcopy(pod)
    spec = pod["spec"]
    going_on = [one for one in spec.get("initContainers", ()) if one.get("restartPolicy") == "Always"]
    spec["initContainers"] = [one for one in spec.get("initContainers", ()) if one not in going_on]
    spec["containers"] = [*going_on, *spec["containers"]]
    for container in (*spec["initContainers"], *spec["containers"]):
        for name in LEFT_OUT:
            container.pop(name, None)
        container["env"] = [
            {"name": name, "value": value} for name, value in filled(container, pod, {}).items()
        ]
        container.pop("envFrom", None)
    spec["volumes"] = [
        _folder(volume, in_memory if volume.get("emptyDir", {}).get("medium") == "Memory" else volumes)
        for volume in spec.get("volumes", ())
    ]
    spec["restartPolicy"] = "Never"
    annotations = pod["metadata"].get("annotations", {})
    pod["metadata"]["annotations"] = {
        name: value for name, value in annotations.items() if len(value) <= MOST_OF_PODMAN
    }
    return pod


def filled(container: Json, pod: Json, sources: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The environment of a container; ``sources``: what config maps and secrets hold, by their names. What is not there is taken to be optional."""
    values: dict[str, str] = {}
    for source in container.get("envFrom") or ():
        (reference,) = (source[kind] for kind in ("configMapRef", "secretRef") if kind in source)
        values |= sources.get(reference["name"], {})
    for variable in container.get("env") or ():
        text = _text(variable, pod, sources)
        # as Kubernetes: only what stands before is known, and what is not known stays as it is
        values[variable["name"]] = re.sub(r"\$\((\w+)\)", lambda match: values.get(match[1], match[0]), text)
    return values


def _text(variable: Json, pod: Json, sources: Mapping[str, Mapping[str, str]]) -> str:
    source = variable.get("valueFrom")
    if source is None:
        return str(variable.get("value", ""))
    if "fieldRef" in source:
        return _field(source["fieldRef"]["fieldPath"], pod)
    (reference,) = source.values()
    return sources[reference["name"]][reference["key"]]


def _field(path: str, pod: Json) -> str:
    metadata = pod["metadata"]
    known: Mapping[str, Callable[[], str]] = {
        "metadata.name": lambda: metadata["name"],
        "metadata.namespace": lambda: NAMESPACE,
        "metadata.uid": lambda: "1f3c",
        "spec.nodeName": lambda: NODE,
        "metadata.annotations['hopwatch.dev/owner']": lambda: metadata["annotations"].get(
            "hopwatch.dev/owner", ""
        ),
    }
    return known[path]()


def _folder(volume: Json, volumes: Path) -> Json:
    folder = volumes / volume["name"]
    folder.mkdir(mode=0o777, exist_ok=True)
    folder.chmod(0o777)
    return {"name": volume["name"], "hostPath": {"path": str(folder), "type": "Directory"}}
