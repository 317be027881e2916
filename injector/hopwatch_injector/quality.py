"""Quality of service: a pod that is "Guaranteed" stays so.

Kubernetes calls a pod so whose containers all ask for just what they are limited to, of CPU and memory; others lose CPUs of their own,
and are killed for memory earlier.
"""

from typing import Any

from hopwatch_injector.parts import containers_of
from hopwatch_injector.quantity import amount, size

Json = dict[str, Any]

COUNTED = ("cpu", "memory")
USUAL = {"cpu": "250m", "memory": "384Mi"}
"""Limits for what is added, where the fragment limits nothing and asks for no more: an agent under load takes less than a tenth of a core."""


def is_guaranteed(spec: Json) -> bool:
    """Whether it is so by what its containers ask for."""
    return all(_asks_for_its_limits(container.get("resources") or {}) for container in containers_of(spec))


def guaranteed(container: Json) -> Json:
    """The container, asking for just what it is limited to, of what counts."""
    resources = container.get("resources") or {}
    requests: Json = resources.get("requests") or {}
    usual = {name: max(least, requests.get(name, least), key=size) for name, least in USUAL.items()}
    limits = usual | (resources.get("limits") or {})
    counted = {name: limits[name] for name in COUNTED}
    return container | {"resources": resources | {"limits": limits, "requests": requests | counted}}


def _asks_for_its_limits(resources: Json) -> bool:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    return all(_is_asked_for(limits.get(name), requests.get(name)) for name in COUNTED)


def _is_asked_for(limit: Any, request: Any) -> bool:
    """A limit of nothing is none; without a request the limit is asked for."""
    limited = None if limit is None else amount(limit)
    return limited not in (None, 0) and (request is None or amount(request) == limited)
