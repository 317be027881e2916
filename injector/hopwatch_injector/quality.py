"""Quality of service: a pod that is "Guaranteed" stays so.

Kubernetes calls a pod so whose containers all ask for just what they are limited to, of CPU and memory; others lose CPUs of their own,
and are killed for memory earlier.
"""

from decimal import Decimal, InvalidOperation
from typing import Any

Json = dict[str, Any]

COUNTED = ("cpu", "memory")
USUAL = {"cpu": "250m", "memory": "384Mi"}
"""Limits for what is added, where the fragment limits nothing and asks for no more: an agent under load takes less than a tenth of a core."""
UNITS = {
    **{
        unit: Decimal(1000) ** power for power, unit in enumerate(("m", "", "k", "M", "G", "T", "P", "E"), -1)
    },
    **{unit: Decimal(1024) ** power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)},
}


def is_guaranteed(spec: Json) -> bool:
    """Whether it is so by what its containers ask for."""
    own = [*(spec.get("initContainers") or ()), *spec["containers"]]
    return all(_asks_for_its_limits(container.get("resources") or {}) for container in own)


def guaranteed(container: Json) -> Json:
    """The container, asking for just what it is limited to."""
    resources = container.get("resources") or {}
    requests: Json = resources.get("requests") or {}
    usual = {name: max(least, requests.get(name, least), key=_size) for name, least in USUAL.items()}
    limits = requests | usual | (resources.get("limits") or {})
    return container | {"resources": resources | {"limits": limits, "requests": limits}}


def _asks_for_its_limits(resources: Json) -> bool:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    return all(_is_asked_for(limits.get(name), requests.get(name)) for name in COUNTED)


def _is_asked_for(limit: Any, request: Any) -> bool:
    """A limit of nothing is none; without a request the limit is asked for."""
    limited = None if limit is None else _amount(limit)
    return limited not in (None, 0) and (request is None or _amount(request) == limited)


def _size(quantity: Any) -> Decimal:
    amount = _amount(quantity)
    return amount if isinstance(amount, Decimal) else Decimal(0)


def _amount(quantity: Any) -> Decimal | str:
    """As a number; what is none is like nothing but itself."""
    text = str(quantity)
    digits = text.rstrip("".join(UNITS))
    try:
        return Decimal(digits) * UNITS[text[len(digits) :]]
    except (InvalidOperation, KeyError):
        return text
