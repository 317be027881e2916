"""How the description of the interface tells of answers beside their models: what their headers say."""

from typing import Any

Answers = dict[int | str, dict[str, Any]]

_TEXT = {"schema": {"type": "string"}}
_LINK = {"Link": {**_TEXT, "description": 'the next page, if there is one: <...>; rel="next" (RFC 8288)'}}
_TAG = {"ETag": {**_TEXT, "description": "for If-None-Match: 304 where the answer is still the same"}}

MOVING: Answers = {200: {"headers": _LINK}}
"""Of a list with figures that move each second."""
LASTING: Answers = {
    200: {"headers": {**_LINK, **_TAG}},
    304: {"description": "What If-None-Match names is still so", "headers": _TAG},
}
"""Of a list that stays the same for a while."""


def events_of(schema: str, example: str) -> Answers:
    """Of server-sent events, each with JSON of that schema."""
    told = f"each message: an event, an id, and data: {schema} as JSON; the last one is the event end"
    data = {"$ref": f"#/components/schemas/{schema}"}
    text = {"type": "string", "description": told, "x-data": data}
    return {200: {"content": {"text/event-stream": {"schema": text, "example": example}}}}
