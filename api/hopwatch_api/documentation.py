"""The description of the interface: what every answer may be, and ``/docs``, which needs no other host's scripts."""

from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import HTMLResponse

from hopwatch_api.guard import OPEN_PATHS
from hopwatch_api.models import ErrorAnswer

_REFUSALS = {
    401: "No token, or not the agent's",
    403: "No client certificate",
    421: "The Host header does not name this agent",
    503: "Too many requests at once",
}
_STYLE = "body{font:15px sans-serif;margin:2em;max-width:60em}dt{font-family:monospace;font-weight:bold;margin-top:1em}"


def described() -> dict[int | str, dict[str, Any]]:
    """How a request may be refused, whatever it asks for."""
    return {status: {"model": ErrorAnswer, "description": text} for status, text in _REFUSALS.items()}


def documentation_page(app: FastAPI) -> None:
    """Adds ``/docs``, and the ways to prove who one is to ``/openapi.json``."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(title=app.title, version=app.version, routes=app.routes)
            made.setdefault("components", {})["securitySchemes"] = {
                "token": {"type": "http", "scheme": "bearer"}
            }
            for path, operations in made["paths"].items():
                for operation in operations.values():
                    _with_security(operation, is_open=path in OPEN_PATHS)
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(_page(app.openapi()))


def _with_security(operation: dict[str, Any], *, is_open: bool) -> None:
    if not is_open:
        # an agent on loopback may ask for none
        operation["security"] = [{"token": []}, {}]
        return
    for status in _REFUSALS.keys() - {503}:
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
        f"<h1>{title}</h1><p>JSON over HTTP; <a href=openapi.json>openapi.json</a> has every field.</p>"
        f"<dl>{entries}</dl></html>"
    )


def _query(operation: dict[str, Any]) -> str:
    names = [given["name"] for given in operation.get("parameters", []) if given["in"] == "query"]
    return escape("?" + "&".join(f"{name}=" for name in names)) if names else ""
