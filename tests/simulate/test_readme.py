"""The simulator's README names each field of the truth."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hopwatch_simulate.fleet import draw, simulate

README = Path(__file__).parents[2] / "simulate" / "README.md"


def fields(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        yield from told
        for value in told.values():
            yield from fields(value)
    elif isinstance(told, list):
        for value in told:
            yield from fields(value)


def test_each_field_of_the_truth_is_described() -> None:
    text = README.read_text()
    found = {name for seed in range(8) for name in fields(simulate(draw(seed)).truth)}
    assert {"ledger", "ranges", "refused"} <= found
    assert [name for name in sorted(found) if f"`{name}`" not in text] == []
