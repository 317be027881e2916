"""Each cause and each threshold of the rules decides something: without it, or with another figure, a told loss is told otherwise."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest
from beginnings_told import BEGINNINGS
from ends_told import ENDS
from gaps_told import GAPS
from hopwatch_judge import deciding, thresholds
from hopwatch_judge.causes.registry import CAUSES
from hopwatch_judge.deciding import Decision, decided

TOLD = {**GAPS, **BEGINNINGS, **ENDS}
OF_THE_RULES = (
    "AT_ONCE",
    "CLOCKS_MAY_DIFFER_BY",
    "FOUND_DEAD_WITHIN",
    "IDLE_SECONDS",
    "SAMPLED_WITHIN",
    "SEEN_DOWN_WITHIN",
    "STILL_READING",
    "SURELY_JOINED_WITHIN",
    "TOLD_LATE",
    "UNDER_WAY",
)
"""Thresholds by which one loss is judged alone; those that hold losses against each other have tests of their own."""


def told_otherwise() -> list[str]:
    """What is decided otherwise than it is told."""
    return [
        known
        for known, (clues, cause, exact) in TOLD.items()
        if decided(replace(clues)) != Decision(cause, exact)
    ]


@pytest.mark.parametrize("cause", [cause.name for cause in CAUSES if cause.name != "unroutable"])
def test_without_a_cause_some_loss_is_told_otherwise(cause: str, monkeypatch: pytest.MonkeyPatch) -> None:
    others = tuple(replace(each, explain=lambda _: None) if each.name == cause else each for each in CAUSES)
    monkeypatch.setattr(deciding, "CAUSES", others)
    assert told_otherwise()


@pytest.mark.parametrize("factor", [0.0, 1000.0], ids=["at nothing", "at a thousand times as much"])
@pytest.mark.parametrize("name", OF_THE_RULES)
def test_with_another_threshold_some_loss_is_told_otherwise(
    name: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in _modules_of_the_judge():
        if hasattr(module, name):
            monkeypatch.setattr(module, name, getattr(thresholds, name) * factor)
    assert told_otherwise()


def test_with_all_causes_and_thresholds_each_loss_is_told_as_it_is() -> None:
    assert told_otherwise() == []


def _modules_of_the_judge() -> Iterator[ModuleType]:
    return (
        module
        for name, module in list(sys.modules.items())
        if name.startswith("hopwatch_judge.") and name != thresholds.__name__
    )
