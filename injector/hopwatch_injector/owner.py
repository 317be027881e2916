"""Who made a pod: the workload that people know it by."""

from typing import Any

Json = dict[str, Any]
HASH_LABEL = "pod-template-hash"


def owner_of(pod: Json) -> str | None:
    """Kind and name of its controller, like ``StatefulSet/feed``: of a Deployment's ReplicaSet, that of the Deployment. None: it has none."""
    metadata = pod.get("metadata") or {}
    controllers = [one for one in metadata.get("ownerReferences") or () if one.get("controller")]
    if not controllers:
        return None
    kind, name = controllers[0]["kind"], controllers[0]["name"]
    # a Deployment names its ReplicaSets by itself and the hash of their template, which is a label of their pods as well
    template = (metadata.get("labels") or {}).get(HASH_LABEL)
    if kind == "ReplicaSet" and template and name.endswith(f"-{template}"):
        return f"Deployment/{name.removesuffix(f'-{template}')}"
    return f"{kind}/{name}"
