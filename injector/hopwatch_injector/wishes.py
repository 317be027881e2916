"""What a pod's annotations ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopwatch.settings import from_environment

from hopwatch_injector.errors import WishError
from hopwatch_injector.names import CONTAINERS, INJECT, SEQUENCE, TOPIC

ANSWERS = {"true": True, "false": False}


@dataclass(frozen=True)
class Wishes:
    """``inject``: None where the pod does not say. ``containers``: None for all of them."""

    inject: bool | None = None
    containers: frozenset[str] | None = None
    sequence: str | None = None
    topic: str | None = None


def wishes_of(annotations: Mapping[str, Any]) -> Wishes:
    """Raises WishError that names the annotation."""
    told = annotations.get(INJECT)
    if told is not None and str(told).lower() not in ANSWERS:
        raise WishError(f'{INJECT} is "true" or "false", not {told!r}')
    return Wishes(
        inject=None if told is None else ANSWERS[str(told).lower()],
        containers=_names(annotations.get(CONTAINERS)),
        sequence=_sequence(annotations.get(SEQUENCE) or None),
        topic=annotations.get(TOPIC) or None,
    )


def _sequence(text: str | None) -> str | None:
    for problem in from_environment({} if text is None else {"HOPWATCH_SEQUENCE": text}).problems:
        raise WishError(f"{SEQUENCE}: {problem}")
    return text


def _names(text: str | None) -> frozenset[str] | None:
    if text is None:
        return None
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise WishError(f"{CONTAINERS} names no container")
    return names
