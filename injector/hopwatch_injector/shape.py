"""What of a pod is looked at, and of which type it has to be: Kubernetes sees to the rest."""

from typing import Annotated, Any

import msgspec

from hopwatch_injector.errors import ReviewError

Json = dict[str, Any]


class _Named(msgspec.Struct, frozen=True):
    name: str


class _Port(msgspec.Struct, frozen=True, rename="camel"):
    container_port: int
    protocol: str = "TCP"


class _Resources(msgspec.Struct, frozen=True):
    limits: dict[str, str | int | float] | None = None
    requests: dict[str, str | int | float] | None = None


class _Container(_Named, frozen=True, rename="camel"):
    resources: _Resources | None = None
    ports: list[_Port] | None = None
    env: list[_Named] | None = None
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


def require_pod(pod: Json) -> None:
    """Raises ReviewError, which names the place, for what the API server could not have sent."""
    try:
        msgspec.convert(pod, type=_Pod)
    except msgspec.ValidationError as error:
        raise ReviewError(f"$.request.object is no pod: {error}") from error
