"""Which nodes a pod asks for, by labels that nodes bear."""

from collections.abc import Iterable, Sequence
from typing import Any

Json = dict[str, Any]


def asked_of_nodes(spec: Json, labels: Sequence[str]) -> frozenset[str] | None:
    """The values of the label (of several names) that the pod's node may have; None where the pod does not say."""
    selector = spec.get("nodeSelector") or {}
    selected = [frozenset({selector[label]}) for label in labels if label in selector]
    return _common([*selected, _of_any_term(_terms(spec), labels)])


def is_kept_from(spec: Json, labels: Sequence[str], value: str) -> bool:
    """Whether no node with that value may have the pod."""
    terms = _terms(spec)
    return bool(terms) and all(
        any(value in (wanted.get("values") or ()) for wanted in _wanted(term, labels, "NotIn"))
        for term in terms
    )


def _terms(spec: Json) -> list[Json]:
    """One of these has to hold."""
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return required.get("nodeSelectorTerms") or []


def _of_any_term(terms: Sequence[Json], labels: Sequence[str]) -> frozenset[str] | None:
    found = [
        _common(frozenset(wanted.get("values") or ()) for wanted in _wanted(term, labels, "In"))
        for term in terms
    ]
    sets = [values for values in found if values is not None]
    return frozenset().union(*sets) if sets and len(sets) == len(found) else None


def _wanted(term: Json, labels: Sequence[str], operator: str) -> list[Json]:
    """Of what a term says, all of which has to hold, that which says this of the label."""
    return [
        wanted
        for wanted in term.get("matchExpressions") or ()
        if wanted.get("key") in labels and wanted.get("operator") == operator
    ]


def _common(found: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    sets = [values for values in found if values is not None]
    return frozenset.intersection(*sets) if sets else None
