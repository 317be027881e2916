"""What of a pod is looked at, and of which type it has to be: Kubernetes sees to the rest."""

from typing import Annotated, Any

import msgspec

from hopwatch_injector.errors import ReviewError

Json = dict[str, Any]
MOST_CONTAINERS = 250
MOST_PARTS = 10_000


class _Named(msgspec.Struct, frozen=True):
    name: str


class _Variable(_Named, frozen=True):
    value: str | None = None


class _Port(msgspec.Struct, frozen=True, rename="camel"):
    container_port: int
    protocol: str = "TCP"


class _Resources(msgspec.Struct, frozen=True):
    limits: dict[str, str | int | float] | None = None
    requests: dict[str, str | int | float] | None = None


class _Container(_Named, frozen=True, rename="camel"):
    resources: _Resources | None = None
    security_context: Json | None = None
    ports: list[_Port] | None = None
    env: list[_Variable] | None = None
    env_from: list[Json] | None = None
    volume_mounts: list[Json] | None = None


class _Wanted(msgspec.Struct, frozen=True):
    key: str
    operator: str
    values: list[str] | None = None


class _Term(msgspec.Struct, frozen=True, rename="camel"):
    match_expressions: list[_Wanted] | None = None


class _Required(msgspec.Struct, frozen=True, rename="camel"):
    node_selector_terms: list[_Term] | None = None


class _NodeAffinity(msgspec.Struct, frozen=True, rename="camel"):
    required_during_scheduling_ignored_during_execution: _Required | None = None


class _Affinity(msgspec.Struct, frozen=True, rename="camel"):
    node_affinity: _NodeAffinity | None = None


class _Spec(msgspec.Struct, frozen=True, rename="camel"):
    containers: Annotated[list[_Container], msgspec.Meta(min_length=1)]
    init_containers: list[_Container] | None = None
    affinity: _Affinity | None = None
    security_context: Json | None = None
    resources: Json | None = None
    termination_grace_period_seconds: int | None = None
    volumes: list[_Named] | None = None
    image_pull_secrets: list[Json] | None = None
    node_selector: dict[str, str] | None = None
    os: _Named | None = None
    host_network: bool | None = None


class _Owner(_Named, frozen=True):
    kind: str
    controller: bool | None = None


class _Metadata(msgspec.Struct, frozen=True, rename="camel"):
    annotations: dict[str, str] | None = None
    labels: dict[str, str] | None = None
    owner_references: list[_Owner] | None = None


class _Pod(msgspec.Struct, frozen=True):
    spec: _Spec
    metadata: _Metadata | None = None


def pod_in(told: msgspec.Raw) -> Json:
    """The pod. Raises ReviewError, which names the place, for what the API server could not have sent, and for more than any pod has."""
    try:
        _require_bounds(msgspec.json.decode(told, type=_Pod).spec)
        pod: Json = msgspec.json.decode(told)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReviewError(f"$.request.object is no pod: {error}") from error
    return pod


def _require_bounds(spec: _Spec) -> None:
    """What is read of a pod takes time and memory by its parts, and so does each container's answer."""
    containers = [*(spec.init_containers or ()), *spec.containers]
    parts = {
        "containers": (len(containers), MOST_CONTAINERS),
        "variables": (sum(len(one.env or ()) for one in containers), MOST_PARTS),
        "mounts": (sum(len(one.volume_mounts or ()) for one in containers), MOST_PARTS),
        "ports": (sum(len(one.ports or ()) for one in containers), MOST_PARTS),
        "volumes": (len(spec.volumes or ()), MOST_PARTS),
    }
    for name, (count, most) in parts.items():
        if count > most:
            raise ReviewError(f"$.request.object has {count} {name}: no more than {most} are looked at")
