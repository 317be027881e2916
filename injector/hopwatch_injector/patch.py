"""The RFC 6902 patch that turns a pod into an injected one."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopwatch.version import VERSION

from hopwatch_injector.eligibility import instrumented, require_annotations
from hopwatch_injector.environment import environment
from hopwatch_injector.fitting import fitted
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.mounts import require_paths
from hopwatch_injector.names import CONTAINER_NAME, EVICTABLE, INJECTED, OWNER
from hopwatch_injector.owner import owner_of
from hopwatch_injector.parts import annotations_of
from hopwatch_injector.references import require_no_reference
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]


def patch(pod: Json, fragment: Fragment, wishes: Wishes) -> list[Json]:
    """Operations, none of which takes anything away. Raises WishError."""
    spec = pod["spec"]
    operations = [] if pod.get("metadata") else [_add("/metadata", {})]
    annotations = _annotations(pod, fragment)
    require_annotations(pod, annotations)
    operations += _metadata(pod, "annotations", annotations)
    operations += _metadata(pod, "labels", fragment.labels)
    operations += _list(spec, "/spec/volumes", fragment.volumes)
    known = spec.get("imagePullSecrets") or ()
    secrets = [secret for secret in fragment.image_pull_secrets if secret not in known]
    operations += _list(spec, "/spec/imagePullSecrets", secrets)
    for place in instrumented(spec, wishes):
        require_paths(spec["containers"][place], spec, fragment)
        require_no_reference(spec["containers"][place])
        operations += _container(spec["containers"][place], f"/spec/containers/{place}", fragment, wishes)
    before, beside = (
        [fitted(one, spec, fragment) for one in part]
        for part in (fragment.init_containers, fragment.containers)
    )
    operations += _list(spec, "/spec/initContainers", before, first=True)
    operations += _list(spec, "/spec/containers", beside)
    return operations


def _annotations(pod: Json, fragment: Fragment) -> dict[str, str]:
    own, owner = annotations_of(pod), owner_of(pod)
    added = {INJECTED: VERSION, **fragment.annotations}
    if own.get(EVICTABLE):
        named = f"{own[EVICTABLE]},{added.get(EVICTABLE, '')}".split(",")
        added[EVICTABLE] = ",".join(dict.fromkeys(filter(None, named)))
    return added | ({} if owner is None or OWNER in own else {OWNER: owner})


def _metadata(pod: Json, part: str, added: Mapping[str, str]) -> list[Json]:
    """Put annotations or labels beside those that a pod has."""
    if not added:
        return []
    if not (pod.get("metadata") or {}).get(part):
        return [_add(f"/metadata/{part}", dict(added))]
    return [_add(f"/metadata/{part}/{name.replace('/', '~1')}", value) for name, value in added.items()]


def _container(container: Json, path: str, fragment: Fragment, wishes: Wishes) -> list[Json]:
    given = fragment.application
    own = [{"name": CONTAINER_NAME, "value": container["name"]}]
    asked = {"HOPWATCH_SEQUENCE": wishes.sequence, "HOPWATCH_TOPIC": wishes.topic}
    own += [{"name": name, "value": value} for name, value in asked.items() if value is not None]
    env = environment(container, [*own, *given.env], given.pythonpath)
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
