"""The simulator's README names each field of the truth."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hopwatch_simulate.fleet import draw, simulate
from hopwatch_simulate.landing import TRUTH, land

README = Path(__file__).with_name("README.md")


def fields(told: Any) -> Iterator[str]:
    if isinstance(told, dict):
        yield from told
        for value in told.values():
            yield from fields(value)
    elif isinstance(told, list):
        for value in told:
            yield from fields(value)


def test_each_field_of_the_truth_is_described(tmp_path: Path) -> None:
    text = README.read_text()
    found = set()
    for seed in range(3):
        folder = tmp_path / str(seed)
        folder.mkdir()
        land(simulate(draw(seed)), folder)
        found |= set(fields(json.loads((folder / TRUTH).read_text())))
    assert {"ledger", "ranges", "refused", "late_files"} <= found
    assert [name for name in sorted(found) if f"`{name}`" not in text] == []
