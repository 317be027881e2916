"""What is wrong with the parameters of a request, and what they may be: as the description of the interface says."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from fastapi import FastAPI, Request

from hopwatch_api.problems import INVALID_PARAMETERS, NoAnswerError, ParameterProblem

GIVEN_SHOWN = 100
"""Characters of a value that are repeated in an answer."""
ERRORS_TOLD = 20
"""A head has room for thousands of names, each of which would be looked for among those that there are."""
_NUMBERS = {"integer": "a whole number", "number": "a number"}


async def only_known(request: Request) -> None:
    """Raises ``NoAnswerError`` where a parameter is given that there is not, or one more than once: it would count for nothing."""
    given = request.query_params.multi_items()
    if not given:
        return  # skip building the description, which is slow
    known = _described(request)["query"]
    names = list(dict.fromkeys(name for name, _ in given))
    wrong = (
        error
        for name in names
        for error in _miscalled(name, [value for other, value in given if other == name], known)
    )
    errors = list(islice(wrong, ERRORS_TOLD))
    if errors:
        raise refused(errors)


def _miscalled(
    name: str, values: Sequence[str], known: Mapping[str, dict[str, Any]]
) -> Iterator[ParameterProblem]:
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        text = "there is no such parameter here" + (f"; did you mean {near[0]}?" if near else "")
        yield _told("query", name, values[0], text, ", ".join(known) or "no parameter")
    elif len(values) > 1:
        text = f"it is given {len(values)} times, and can be given once"
        yield _told("query", name, ", ".join(values), text, allowed(known[name]))


def unusable(request: Request, errors: Sequence[Any]) -> NoAnswerError:
    """What FastAPI has found wrong, as a problem."""
    known = _described(request)
    # what may be of several kinds has an error for each of them
    by_parameter = {tuple(map(str, error["loc"][:2])): error["input"] for error in errors}
    return refused([_unusable(place, name, given, known) for (place, name), given in by_parameter.items()])


def _unusable(
    place: str, name: str, given: object, known: Mapping[str, Mapping[str, Any]]
) -> ParameterProblem:
    may_be = allowed(known.get(place, {}).get(name, {}))
    return _told(place, name, str(given), f"it must be {may_be}", may_be)


def refused(errors: Sequence[ParameterProblem]) -> NoAnswerError:
    """All of them as one problem."""
    told = "; ".join(f"{error.name}={error.given}: {error.text}" for error in errors)
    return NoAnswerError(INVALID_PARAMETERS, told, errors)


def _told(place: str, name: str, given: str, text: str, may_be: str) -> ParameterProblem:
    return ParameterProblem(
        place=place, name=name[:GIVEN_SHOWN], given=given[:GIVEN_SHOWN], text=text, allowed=may_be
    )


def _described(request: Request) -> dict[str, dict[str, dict[str, Any]]]:
    """The schema of each parameter of the operation, by its place and name."""
    app: FastAPI = request.app
    found: dict[str, dict[str, dict[str, Any]]] = {"query": {}, "path": {}}
    operation = app.openapi()["paths"].get(request.scope["route"].path_format, {}).get(request.method.lower())
    for parameter in (operation or {}).get("parameters", []):
        found[parameter["in"]][parameter["name"]] = {
            **parameter["schema"],
            "told": parameter.get("description"),
        }
    return found


def allowed(schema: Mapping[str, Any]) -> str:
    """What a schema allows, in words."""
    if "enum" in schema:
        return "one of " + ", ".join(map(str, schema["enum"]))
    if schema.get("type") in _NUMBERS:
        least, most = schema.get("minimum"), schema.get("maximum")
        bounds = [f"from {least}"] if least is not None else []
        bounds += [f"to {most}"] if most is not None else []
        return " ".join([_NUMBERS[schema["type"]], *bounds])
    if schema.get("format") == "date-time":
        return "a time with its offset from UTC, like 2026-11-25T02:26:04Z"
    if "maxLength" in schema:
        return f"a text of {schema['maxLength']} characters at most"
    return str(schema.get("told") or "a text")
