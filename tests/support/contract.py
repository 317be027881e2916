"""What the interface has promised: its description in api/openapi.json, and what in another one would break a promise.

As a program (scripts/write-openapi) it writes the description as it is now, unless that breaks one.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hopwatch_api import create_app

FILE = Path(__file__).parents[2] / "api" / "openapi.json"
HOW_TO_BREAK = (
    "What /v1 answers is a contract: programs of others read it. Leave the old as it is and add the new beside it; what cannot be"
    " added is for a version 2, in a folder hopwatch_api/v2 beside hopwatch_api/v1."
)
HOW_TO_ADD = "Nothing that was promised is broken. If this is meant, write it down: scripts/write-openapi, and commit api/openapi.json with it."
_INNER = {"items": "[]", "additionalProperties": "[]", "x-data": " data"}
"""What else a schema is made of beside its fields."""
_LEAST, _MOST = ("minimum", "minLength"), ("maximum", "maxLength")
Description = dict[str, Any]
Schema = dict[str, Any]


class _Nobody:
    """A state that is described and never asked."""


def described() -> Description:
    """The interface as it is now; the version is that of the interface."""
    made: Description = json.loads(_described())
    return made


@cache
def _described() -> str:
    return json.dumps(create_app(_Nobody(), "1", metrics=lambda _accept: None).openapi())  # type: ignore[arg-type, return-value]


def written() -> Description:
    """As it was when it was last written down."""
    content: Description = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def as_text(description: Description) -> str:
    return json.dumps(description, indent=1, ensure_ascii=False) + "\n"


def breaks(before: Description, after: Description) -> list[str]:
    """Each promise of the one that the other does not keep."""
    return [
        text
        for path, operations in before["paths"].items()
        for text in _path(path, operations, before, after)
    ]


def _path(path: str, operations: dict[str, Any], before: Description, after: Description) -> Iterator[str]:
    for method, operation in operations.items():
        at = f"{method.upper()} {path}"
        now = after["paths"].get(path, {}).get(method)
        if now is None:
            yield f"{at} is gone"
        else:
            yield from _parameters(at, operation, now)
            yield from _answers(at, operation["responses"], now["responses"], before, after)


def _parameters(at: str, before: Schema, after: Schema) -> Iterator[str]:
    old = {(given["in"], given["name"]): given for given in before.get("parameters", [])}
    new = {(given["in"], given["name"]): given for given in after.get("parameters", [])}
    for key, given in new.items():
        if given.get("required") and not old.get(key, {}).get("required"):
            yield f"{at}: the parameter {key[1]} has to be given now"
    for key, given in old.items():
        if key not in new:
            yield f"{at}: the parameter {key[1]} is gone"
        else:
            yield from _narrower(f"{at}: the parameter {key[1]}", given["schema"], new[key]["schema"])


def _narrower(at: str, before: Schema, after: Schema) -> Iterator[str]:
    """What could be given, and cannot be any more."""
    if not set(_kinds(before)) <= set(_kinds(after)):
        yield f"{at} was {_told(before)} and is {_told(after)}"
    for name in set(before.get("enum", ())) - set(after.get("enum", before.get("enum", ()))):
        yield f"{at} cannot be {name} any more"
    if after.get("pattern") not in (None, before.get("pattern")):
        yield f"{at} has to be like {after['pattern']} now"
    if "enum" in after and "enum" not in before:
        yield f"{at} has to be one of {after['enum']} now"
    for bounds, sign in ((_LEAST, 1), (_MOST, -1)):
        for bound in bounds:
            old, new = before.get(bound), after.get(bound)
            if new is not None and (old is None or sign * new > sign * old):
                yield f"{at} has the {bound} {new} now, and had {old}"


def _answers(
    at: str, old: dict[str, Any], new: dict[str, Any], before: Description, after: Description
) -> Iterator[str]:
    for status, answer in old.items():
        if status not in new:
            yield f"{at}: the answer {status} is gone"
            continue
        for kind, content in answer.get("content", {}).items():
            now = new[status].get("content", {}).get(kind)
            if now is None:
                yield f"{at}: the answer {status} is no {kind} any more"
            elif "schema" in content:
                yield from _other(f"{at} {status}", content["schema"], now.get("schema", {}), (before, after))


def _other(at: str, before: Schema, after: Schema, of: tuple[Description, Description]) -> Iterator[str]:
    """What could be read in an answer, and cannot be read so any more."""
    old, new = _whole(before, of[0]), _whole(after, of[1])
    if not set(_kinds(new)) <= set(_kinds(old)):
        yield f"{at} was {_told(old)} and is {_told(new)}"
        return
    for name, field in _fields(old).items():
        place = f"{at}: {name}" if ": " not in at else f"{at}.{name}"
        if name not in _fields(new):
            yield f"{place} is gone"
        else:
            if name in _required(old) and name not in _required(new):
                yield f"{place} need not be there any more"
            yield from _other(place, field, _fields(new)[name], of)
    for inner, place in _INNER.items():
        if isinstance(_part(old, inner), dict):
            yield from _other(f"{at}{place}", _part(old, inner), _part(new, inner) or {}, of)


def _whole(schema: Schema, description: Description) -> Schema:
    """Without references; of several kinds, each without."""
    while "$ref" in schema:
        schema = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return {**schema, "anyOf": [_whole(each, description) for each in schema["anyOf"]]}
    return schema


def _alternatives(schema: Schema) -> list[Schema]:
    found: list[Schema] = schema.get("anyOf", [schema])
    return found


def _kinds(schema: Schema) -> list[str]:
    """The types that it may have; a whole number is a number too."""
    return [each.get("type", "anything") for each in _alternatives(schema)]


def _told(schema: Schema) -> str:
    return " or ".join(_kinds(schema))


def _fields(schema: Schema) -> dict[str, Schema]:
    return {
        name: field for each in _alternatives(schema) for name, field in each.get("properties", {}).items()
    }


def _required(schema: Schema) -> set[str]:
    return {name for each in _alternatives(schema) for name in each.get("required", ())}


def _part(schema: Schema, name: str) -> Any:
    return next((each[name] for each in _alternatives(schema) if name in each), None)


def main() -> int:
    """Writes it down; 1 if a promise would be broken."""
    now = described()
    broken = breaks(written(), now) if FILE.exists() else []
    if broken:
        print("\n".join([*broken, HOW_TO_BREAK]), file=sys.stderr)
        return 1
    FILE.write_text(as_text(now), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
