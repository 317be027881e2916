"""What a node does to a pod before its containers run and podman does not: a pod as the API server keeps it in, one that podman plays out."""

import copy
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]
NODE = "node-7"
NAMESPACE = "trading"
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
        container["env"] = list(_filled(container.get("env", ()), pod))
    spec["volumes"] = [
        _folder(volume, in_memory if volume.get("emptyDir", {}).get("medium") == "Memory" else volumes)
        for volume in spec.get("volumes", ())
    ]
    spec["restartPolicy"] = "Never"
    return pod


def _filled(env: list[Json], pod: Json) -> list[Json]:
    values: dict[str, str] = {}
    for variable in env:
        source = variable.get("valueFrom", {}).get("fieldRef")
        text = variable.get("value", "") if source is None else _field(source["fieldPath"], pod)
        # as Kubernetes: only what stands before is known, and what is not known stays as it is
        values[variable["name"]] = re.sub(r"\$\((\w+)\)", lambda match: values.get(match[1], match[0]), text)
    return [{"name": name, "value": value} for name, value in values.items()]


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
