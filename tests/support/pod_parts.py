"""What kinds of pods are made of, as the API server shows them to a webhook."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
ASKED = {"hopwatch.dev/inject": "true"}
EVICTABLE = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"


@dataclass(frozen=True)
class Kind:
    """``instrumented``: names of its containers that are to be; none: it stays as it is. ``by``: where the API server asks.

    ``warned``: a word of what whoever makes it is told. ``pythonpath``: of the first of its containers then.
    """

    pod: Json
    instrumented: tuple[str, ...] = ()
    by: str = "annotation"
    warned: str | None = None
    pythonpath: str = "/opt/hopwatch/hopwatch/startup"
    request: Mapping[str, Any] = field(default_factory=dict)


def pod(*containers: Json, annotations: Mapping[str, str] | None = ASKED, **spec: Any) -> Json:
    metadata: Json = {"generateName": "feed-", "namespace": "trading"}
    if annotations is not None:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers or (container(),)), **spec},
    }


def container(name: str = "app", **more: Any) -> Json:
    return {"name": name, "image": "example/app", **more}


def labelled(made: Json, labels: Mapping[str, str]) -> Json:
    return made | {"metadata": made["metadata"] | {"labels": dict(labels)}}


def owned_by(kind: str, made: Json, name: str = "nightly", **spec: Any) -> Json:
    owner = {"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": "77", "controller": True}
    return made | {
        "metadata": made["metadata"] | {"ownerReferences": [owner]},
        "spec": made["spec"] | spec,
    }


def on_nodes(label: str, values: list[str], *others: tuple[str, list[str]], operator: str = "In") -> Json:
    """One of these has to hold."""
    terms = [
        {"matchExpressions": [{"key": key, "operator": operator, "values": wanted}]}
        for key, wanted in ((label, values), *others)
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


FROM_A_SECRET = {"name": "PYTHONPATH", "valueFrom": {"secretKeyRef": {"name": "paths", "key": "python"}}}
OURS = "/opt/hopwatch/hopwatch/startup"
