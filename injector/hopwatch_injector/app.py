"""The webhook over HTTP: what it refuses before it reads, and what it answers."""

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from hopwatch_agent.logs.events import EventLogger

from hopwatch_injector.body import Bodies, TooLargeError, TooSlowError
from hopwatch_injector.errors import ReviewError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.injection import inject
from hopwatch_injector.review import request_in
from hopwatch_injector.telling import tell

log = EventLogger(__name__)
BY_ANNOTATION, BY_NAMESPACE = "/pods/by-annotation", "/pods/by-namespace"


def create_app(fragment: Fragment) -> FastAPI:
    """Two places to ask, for pods whose namespace asks for all of them and for others; and whether it works."""
    app = FastAPI(title="hopwatch injector", openapi_url=None)
    bodies = Bodies()

    @app.post(BY_ANNOTATION)
    async def by_annotation(request: Request) -> Response:
        return await _answered(request, bodies, fragment, by_namespace=False)

    @app.post(BY_NAMESPACE)
    async def by_namespace(request: Request) -> Response:
        return await _answered(request, bodies, fragment, by_namespace=True)

    @app.get("/healthz")
    async def healthz() -> Response:
        return Response("ok", media_type="text/plain")

    return app


async def _answered(request: Request, bodies: Bodies, fragment: Fragment, *, by_namespace: bool) -> Response:
    try:
        review = request_in(await bodies.read(request))
        answer = inject(review, fragment, by_namespace=by_namespace)
        tell(review, answer["response"])
        return JSONResponse(answer)
    except TooLargeError as error:
        return _refusal(413, error)
    except TooSlowError as error:
        return _refusal(408, error)
    except ReviewError as error:
        return _refusal(400, error)


def _refusal(status: int, error: ReviewError) -> Response:
    log.warning("refused", status=status, text=str(error))
    content = {"title": str(error), "status": status}
    return JSONResponse(content, status_code=status, media_type="application/problem+json")
