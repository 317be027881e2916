"""Which pods are left as they are, and why."""

from collections.abc import Mapping
from typing import Any

from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import CONTAINERS, INJECTED, MIRRORED, OS_LABEL
from hopwatch_injector.review import Request
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]


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
    of_nodes = (spec.get("nodeSelector") or {}).get(OS_LABEL)
    return "windows" in {(spec.get("os") or {}).get("name"), of_nodes}


def require_room(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod has what would be added, by name: its own chart has seen to that, or it means another thing."""
    theirs = {item["name"] for part in ("containers", "initContainers") for item in spec.get(part) or ()}
    volumes = fragment.volume_names & {item["name"] for item in spec.get("volumes") or ()}
    if taken := sorted(fragment.container_names & theirs) + sorted(volumes):
        raise WishError(f"the pod has {', '.join(taken)} already")


def require_paths(container: Json, fragment: Fragment) -> None:
    """Raises WishError if a container mounts something where ours would be: Kubernetes takes no pod that mounts two things at one place."""
    ours = {mount["mountPath"].rstrip("/") for mount in fragment.application.volume_mounts}
    theirs = {str(mount.get("mountPath", "")).rstrip("/") for mount in container.get("volumeMounts") or ()}
    if taken := sorted(ours & theirs):
        raise WishError(f"container {container['name']} mounts something at {', '.join(taken)}")


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
