"""ETag and If-None-Match (RFC 9110): an answer that is still the same is not sent again."""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

JSON = "application/json"
_CACHING = {"cache-control": "no-cache"}
"""May be kept, and is asked for anew before each use: who may ask no more gets it no more."""


def answered(
    request: Request, body: bytes, media_type: str = JSON, headers: dict[str, str] | None = None
) -> Response:
    """The body with its ETag, or 304 where the client has it already."""
    tag = f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"'
    told = {**(headers or {}), **_CACHING, "etag": tag}
    if _holds(request.headers.getlist("if-none-match"), tag):
        return Response(status_code=304, headers=told)
    return Response(body, headers=told, media_type=media_type)


def _holds(given: list[str], tag: str) -> bool:
    """By the weak comparison, as for If-None-Match; our tags have no comma."""
    tags = [each.strip().removeprefix("W/") for line in given for each in line.split(",")]
    return tag in tags or "*" in tags
