"""The table of values in the chart's README, as values.yaml says: what is written above each."""

import json
from collections.abc import Iterator
from typing import Any

import yaml
from charts import CHART

WHOLE = {"resources", "labels"}
"""Maps that are one value."""


def rows() -> list[str]:
    """Lines of the table."""
    return [f"| `{path}` | {_shown(value)} | {meaning} |" for path, value, meaning in _values()]


def _values() -> Iterator[tuple[str, Any, str]]:
    text = (CHART / "values.yaml").read_text()
    meanings = dict(_meanings(text))
    for path, value in _leaves(yaml.safe_load(text), ""):
        yield path, value, meanings[path]


def _leaves(values: dict[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        path = f"{above}{name}"
        if isinstance(value, dict) and value and name not in WHOLE:
            yield from _leaves(value, f"{path}.")
        else:
            yield path, value


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    names: list[str] = []
    comment = ""
    for line in text.splitlines():
        if line.strip().startswith("# "):
            comment = line.strip()[2:]
        elif ":" in line:
            depth = (len(line) - len(line.lstrip())) // 2
            names[depth:] = [line.strip().partition(":")[0]]
            if comment:
                yield ".".join(names), comment
            comment = ""


def _shown(value: Any) -> str:
    return f"`{json.dumps(value)}`" if value not in ("", [], {}) else ""
