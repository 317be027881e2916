"""Which nodes a pod asks for, by a label that nodes bear."""

from collections.abc import Iterable
from typing import Any

Json = dict[str, Any]


def asked_of_nodes(spec: Json, label: str) -> frozenset[str] | None:
    """The values of the label that the pod's node may have; None where the pod does not say."""
    selected = (spec.get("nodeSelector") or {}).get(label)
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return _common([None if selected is None else frozenset({selected}), _of_any_term(required, label)])


def _of_any_term(required: Json, label: str) -> frozenset[str] | None:
    """One of the terms has to hold."""
    found = [_of_term(term, label) for term in required.get("nodeSelectorTerms") or ()]
    sets = [values for values in found if values is not None]
    return frozenset().union(*sets) if sets and len(sets) == len(found) else None


def _of_term(term: Json, label: str) -> frozenset[str] | None:
    """All that it says has to hold."""
    return _common(
        frozenset(wanted.get("values") or ())
        for wanted in term.get("matchExpressions") or ()
        if (wanted.get("key"), wanted.get("operator")) == (label, "In")
    )


def _common(found: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    sets = [values for values in found if values is not None]
    return frozenset.intersection(*sets) if sets else None
