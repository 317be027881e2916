"""Which pods are left as they are, and why."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import (
    ARCHITECTURE_LABEL,
    CONTAINERS,
    INJECTED,
    MIRRORED,
    OS_LABEL,
)
from hopwatch_injector.nodes import asked_of_nodes
from hopwatch_injector.review import Request
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]
WINDOWS = "windows"
READ_ONLY = {"configMap", "secret", "downwardAPI", "projected", "image"}
"""Kinds of volumes that nothing can be made in."""


def is_new_pod(request: Request) -> bool:
    """Whether a pod is being made: nothing else is changed, not even what is added to a pod that runs."""
    about = request.kind
    is_pod = (about.group, about.version, about.kind) == ("", "v1", "Pod")
    return (
        is_pod and request.operation == "CREATE" and not request.sub_resource and request.object is not None
    )


def is_asked_for(wishes: Wishes, *, by_namespace: bool) -> bool:
    """A pod's own word comes before its namespace's."""
    return by_namespace if wishes.inject is None else wishes.inject


def is_out_of_reach(pod: Json) -> bool:
    """Whether nothing can be injected, or has been already."""
    annotations = annotations_of(pod)
    return INJECTED in annotations or MIRRORED in annotations or is_of_windows(pod["spec"])


def is_of_windows(spec: Json) -> bool:
    """By its own word, or by the nodes that it asks for."""
    return (spec.get("os") or {}).get("name") == WINDOWS or asked_of_nodes(spec, OS_LABEL) == frozenset(
        {WINDOWS}
    )


def require_room(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod has what would be added, by name: its own chart has seen to that, or it means another thing."""
    theirs = {item["name"] for part in ("containers", "initContainers") for item in spec.get(part) or ()}
    volumes = fragment.volume_names & {item["name"] for item in spec.get("volumes") or ()}
    if taken := sorted(fragment.container_names & theirs) + sorted(volumes):
        raise WishError(f"the pod has {', '.join(taken)} already")


def require_port(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if a container says that it listens where the agent would: all containers of a pod share their ports."""
    if spec.get("hostNetwork"):
        return
    ours = _ports((*fragment.init_containers, *fragment.containers))
    theirs = _ports([*(spec.get("initContainers") or ()), *spec["containers"]])
    if taken := sorted(ours & theirs):
        raise WishError(f"a container of the pod listens on port {taken[0]}, as the agent would")


def _ports(containers: Iterable[Json]) -> set[int]:
    return {
        port["containerPort"]
        for container in containers
        for port in container.get("ports") or ()
        if port.get("protocol", "TCP") == "TCP"
    }


def require_architecture(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod may come to a node that the images are not made for. One that does not say is taken to come to one that they are."""
    asked = asked_of_nodes(spec, ARCHITECTURE_LABEL)
    if asked is not None and fragment.architectures and not asked <= set(fragment.architectures):
        raise WishError(
            f"the pod asks for nodes of {', '.join(sorted(asked))}; the images are for {', '.join(fragment.architectures)}"
        )


def require_paths(container: Json, spec: Json, fragment: Fragment) -> None:
    """Raises WishError if a container mounts something where ours would be, or around it where no folder can be made, or in it."""
    fixed_volumes = {volume["name"] for volume in spec.get("volumes") or () if _is_read_only(volume)}
    for ours in (_path(mount) for mount in fragment.application.volume_mounts):
        for mount in container.get("volumeMounts") or ():
            theirs = _path(mount)
            fixed = mount.get("readOnly") or mount.get("name") in fixed_volumes
            around = fixed and ours.is_relative_to(theirs)
            if theirs.is_relative_to(ours) or around:
                raise WishError(
                    f"container {container['name']} mounts something at {theirs}, and hopwatch would at {ours}"
                )


def _is_read_only(volume: Json) -> bool:
    """By its kind, or by what it says of its source."""
    sources = [source for source in volume.values() if isinstance(source, dict)]
    return bool(READ_ONLY & volume.keys()) or any(source.get("readOnly") for source in sources)


def _path(mount: Json) -> PurePosixPath:
    return PurePosixPath(str(mount.get("mountPath", "")))


def require_end(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod is to end by itself and the agent would be one of its containers, which it waits for."""
    if fragment.containers and spec.get("restartPolicy", "Always") != "Always":
        raise WishError(
            "the pod ends with its containers, and the agent, as one of them, would keep it: it has to be a native sidecar (Kubernetes 1.29)"
        )


def instrumented(spec: Json, wishes: Wishes) -> list[int]:
    """Places of the containers to instrument. Raises WishError for a name that none bears."""
    names = [container["name"] for container in spec["containers"]]
    if wishes.containers is None:
        return list(range(len(names)))
    if unknown := [name for name in wishes.containers if name not in names]:
        raise WishError(
            f"{CONTAINERS} names {', '.join(unknown)}; the pod's containers are {', '.join(names)}"
        )
    return [place for place, name in enumerate(names) if name in wishes.containers]


def annotations_of(pod: Json) -> Mapping[str, Any]:
    """Of a pod that may have none."""
    return (pod.get("metadata") or {}).get("annotations") or {}
