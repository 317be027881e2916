"""Which pods are left as they are, and why."""

from collections.abc import Iterable, Mapping
from typing import Any

from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import (
    ARCHITECTURE_LABELS,
    CONTAINERS,
    MIRRORED,
    OS_LABELS,
)
from hopwatch_injector.nodes import asked_of_nodes, is_kept_from
from hopwatch_injector.parts import annotations_of, containers_of
from hopwatch_injector.review import Request
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]
MOST_ANNOTATION_BYTES = 256 << 10
"""Of names and values, as Kubernetes counts them."""
WINDOWS, LINUX = "windows", "linux"


def is_new_pod(request: Request) -> bool:
    """Whether a pod is being made: nothing else is changed, not even what is added to a pod that runs."""
    about = request.kind
    is_pod = (about.group, about.version, about.kind) == ("", "v1", "Pod")
    told = bytes(request.object) != b"null"
    return is_pod and request.operation == "CREATE" and not request.sub_resource and told


def is_asked_for(wishes: Wishes, *, by_namespace: bool) -> bool:
    """A pod's own word comes before its namespace's."""
    return by_namespace if wishes.inject is None else wishes.inject


def is_out_of_reach(pod: Json) -> bool:
    """Whether nothing can be injected."""
    return MIRRORED in annotations_of(pod) or is_of_windows(pod["spec"])


def is_of_windows(spec: Json) -> bool:
    """By its own word, by the nodes that it asks for, or by options that no other pod has."""
    return (
        (spec.get("os") or {}).get("name") == WINDOWS
        or asked_of_nodes(spec, OS_LABELS) == frozenset({WINDOWS})
        or is_kept_from(spec, OS_LABELS, LINUX)
        or any(
            (one.get("securityContext") or {}).get("windowsOptions") for one in (spec, *containers_of(spec))
        )
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
    theirs = _ports(containers_of(spec))
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
    asked = asked_of_nodes(spec, ARCHITECTURE_LABELS)
    if asked is not None and fragment.architectures and not asked <= set(fragment.architectures):
        raise WishError(
            f"the pod asks for nodes of {', '.join(sorted(asked))}; the images are for {', '.join(fragment.architectures)}"
        )


def require_end(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod is to end by itself and the agent would be one of its containers, which it waits for."""
    if fragment.containers and spec.get("restartPolicy", "Always") != "Always":
        raise WishError(
            "the pod ends with its containers, and the agent, as one of them, would keep it: it has to be a native sidecar (Kubernetes 1.29)"
        )


def require_user(spec: Json, fragment: Fragment) -> None:
    """Raises WishError if the pod's own user is root, and a container that would be added refuses to be and names no other: it would never start, nor the pod behind it."""
    if _user_of(spec) != 0:
        return
    for container in (*fragment.init_containers, *fragment.containers):
        ours = container.get("securityContext") or {}
        if ours.get("runAsNonRoot") and ours.get("runAsUser") is None:
            raise WishError(
                "the pod says runAsUser: 0 of all its containers, and hopwatch's do not start as root: have its containers say it each for itself, or set the chart's agent.user"
            )


def _user_of(spec: Json) -> Any:
    return (spec.get("securityContext") or {}).get("runAsUser")


def instrumented(spec: Json, wishes: Wishes) -> list[int]:
    """Places of the containers to instrument. Raises WishError for a name that none bears."""
    names = [container["name"] for container in spec["containers"]]
    if wishes.containers is None:
        return list(range(len(names)))
    if unknown := wishes.containers - set(names):
        raise WishError(
            f"{CONTAINERS} names {', '.join(sorted(unknown))}; the pod's containers are {', '.join(names)}"
        )
    return [place for place, name in enumerate(names) if name in wishes.containers]


def require_annotations(pod: Json, added: Mapping[str, str]) -> None:
    """Raises WishError if a pod has so many annotations that Kubernetes would refuse it with ours."""
    whole = {**annotations_of(pod), **added}
    size = sum(len(name.encode()) + len(str(value).encode()) for name, value in whole.items())
    if size > MOST_ANNOTATION_BYTES:
        raise WishError(
            f"its annotations leave no room for hopwatch's: a pod may have {MOST_ANNOTATION_BYTES} bytes of them"
        )
