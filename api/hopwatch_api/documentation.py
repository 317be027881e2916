"""The description of the interface: what every answer may be, and ``/docs``, which needs no other host's scripts."""

from collections.abc import Mapping
from html import escape
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from hopwatch_api.guard import OPEN_PATHS
from hopwatch_api.model import Model
from hopwatch_api.problem_examples import problems_of
from hopwatch_api.problems import (
    BUSY,
    CERTIFICATE_NEEDED,
    FAULT,
    OTHER_NAME,
    THIS_HOST_ALONE,
    TOKEN_NEEDED,
    Problem,
)
from hopwatch_api.v1.live_models import LiveModel
from hopwatch_api.validators import JSON, answered

Examples = Mapping[tuple[str, int], Any]

_json = msgspec.json.Encoder()
_NOT_OF_OPEN_PATHS = (401, 403, 421)
_STYLE = "body{font:15px sans-serif;margin:2em;max-width:60em}dt{font-family:monospace;font-weight:bold;margin-top:1em}"
_DESCRIPTION = (
    "What one agent knows. An error is a problem (RFC 9457, application/problem+json): also a path that there is not"
    " (404), and a method that a path has not (405). Lists are whole unless limit is given; then the Link header has"
    " the next page. An answer with an ETag can be asked for anew with If-None-Match, and is 304 where it is the same."
)


def described() -> dict[int | str, dict[str, Any]]:
    """How a request may be refused, whatever it asks for."""
    return problems_of(TOKEN_NEEDED, CERTIFICATE_NEEDED, THIS_HOST_ALONE, OTHER_NAME, FAULT, BUSY)


def documentation_page(app: FastAPI, examples: Examples) -> None:
    """Adds ``/openapi.json`` and ``/docs``; ``examples`` of JSON, by path and status."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _made(app, examples)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/openapi.json", include_in_schema=False)
    def description(request: Request) -> Response:
        return answered(request, _json.encode(app.openapi()))

    @app.get("/docs", include_in_schema=False)
    def docs(request: Request) -> Response:
        return answered(request, _page(app.openapi()).encode(), "text/html; charset=utf-8")


def _made(app: FastAPI, examples: Examples) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, description=_DESCRIPTION, routes=app.routes)
    components = made.setdefault("components", {})
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for model in (Problem, LiveModel):
        components["schemas"] |= _schemas_of(model)
    for (path, status), example in examples.items():
        # FastAPI leaves out what is null, of examples too
        made["paths"][path]["get"]["responses"][str(status)]["content"][JSON]["example"] = example
    for path, operations in made["paths"].items():
        for operation in operations.values():
            _with_security(operation, is_open=path in OPEN_PATHS)
    return made


def _schemas_of(model: type[Model]) -> dict[str, Any]:
    """Of a model that no answer of FastAPI's own making has, and of all that it is made of."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**schema.pop("$defs"), model.__name__: schema}


def _with_security(operation: dict[str, Any], *, is_open: bool) -> None:
    if not is_open:
        # an agent on loopback may ask for none
        operation["security"] = [{"token": []}, {}]
        return
    for status in _NOT_OF_OPEN_PATHS:
        operation["responses"].pop(str(status), None)


def _page(schema: dict[str, Any]) -> str:
    entries = "".join(
        f"<dt>{escape(method.upper())} {escape(path)}{_query(operation)}</dt>"
        f"<dd>{escape(operation.get('description', ''))}</dd>"
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    )
    title = f"{escape(schema['info']['title'])} {escape(schema['info']['version'])}"
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
        f"<h1>{title}</h1><p>{escape(schema['info']['description'])}"
        f"<p><a href=openapi.json>openapi.json</a> has every field.</p><dl>{entries}</dl></html>"
    )


def _query(operation: dict[str, Any]) -> str:
    names = [given["name"] for given in operation.get("parameters", []) if given["in"] == "query"]
    return escape("?" + "&".join(f"{name}=" for name in names)) if names else ""
