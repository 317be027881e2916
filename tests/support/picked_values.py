"""What jq has picked out of an answer: a name that is misspelled, or gone from the answer, is picked as null without a word."""

import json
import re
from collections.abc import Iterator
from typing import Any

SELECTED = re.compile(r"select\((.*)\) \| \{")
PATH = re.compile(r"\.[a-z_]+(?:\.[a-z_]+)*")


def of_all(command: str) -> str:
    """The command that selects nothing, and picks what this one selects by as well."""
    return SELECTED.sub(_instead, command)


def _instead(selected: re.Match[str]) -> str:
    by = dict.fromkeys(PATH.findall(selected[1]))
    return "{" + "".join(f'"by {path[1:]}": {path}, ' for path in by)


def never_told(printed: str) -> set[str]:
    """The places, as a.b, whose value is null or lacking in each of the objects that are printed. Raises ValueError for what is no JSON."""
    told: dict[str, bool] = {}
    for value in _values(printed):
        for place, is_told in _places(value, ""):
            told[place] = told.get(place, False) or is_told
    return {place for place, is_told in told.items() if not is_told}


def _values(printed: str) -> Iterator[Any]:
    decoder, rest = json.JSONDecoder(), printed.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        yield value
        rest = rest[end:].lstrip()


def _places(value: Any, place: str) -> Iterator[tuple[str, bool]]:
    if isinstance(value, dict) and value:
        yield place, True
        for name, each in value.items():
            yield from _places(each, f"{place}.{name}".removeprefix("."))
    elif isinstance(value, list) and value:
        yield place, True
        for each in value:
            yield from _places(each, place)
    else:
        yield place, value is not None
