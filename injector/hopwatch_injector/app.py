"""The webhook over HTTP: what it refuses before it reads, and what it answers."""

import asyncio

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from hopwatch_injector.errors import ReviewError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.injection import inject
from hopwatch_injector.review import request_in

MOST_BYTES = 4 << 20
"""Of a review: the API server takes objects of 3 MiB at most."""

AT_ONCE = 8
"""Reviews that are read and answered at the same time; others wait, unread: so much memory they take, and no more."""

BY_ANNOTATION, BY_NAMESPACE = "/pods/by-annotation", "/pods/by-namespace"


class TooLargeError(ReviewError):
    """A body of more than ``MOST_BYTES``."""


def create_app(fragment: Fragment) -> FastAPI:
    """Two places to ask, for pods whose namespace asks for all of them and for others; and whether it works."""
    app = FastAPI(title="hopwatch injector", openapi_url=None)
    places = asyncio.Semaphore(AT_ONCE)

    @app.post(BY_ANNOTATION)
    async def by_annotation(request: Request) -> Response:
        async with places:
            return await _answered(request, fragment, by_namespace=False)

    @app.post(BY_NAMESPACE)
    async def by_namespace(request: Request) -> Response:
        async with places:
            return await _answered(request, fragment, by_namespace=True)

    @app.get("/healthz")
    async def healthz() -> Response:
        return Response("ok", media_type="text/plain")

    return app


async def _answered(request: Request, fragment: Fragment, *, by_namespace: bool) -> Response:
    try:
        review = request_in(await _body(request))
        return JSONResponse(inject(review, fragment, by_namespace=by_namespace))
    except TooLargeError as error:
        return _refusal(413, error)
    except ReviewError as error:
        return _refusal(400, error)


async def _body(request: Request) -> bytes:
    """Raises TooLargeError as soon as that is known."""
    told = request.headers.get("content-length", "0")
    if told.isdigit() and int(told) > MOST_BYTES:
        raise TooLargeError(f"{told} bytes are more than the {MOST_BYTES} that a review may have")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise TooLargeError(f"a review may have {MOST_BYTES} bytes")
    return bytes(body)


def _refusal(status: int, error: ReviewError) -> Response:
    content = {"title": str(error), "status": status}
    return JSONResponse(content, status_code=status, media_type="application/problem+json")
