"""Every way in which the application has no answer becomes a problem."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from hopwatch_api.parameters import unusable
from hopwatch_api.problems import FAULT, UNKNOWN_PATH, WRONG_METHOD, Kind, NoAnswerError, problem


def problems_for_errors(app: FastAPI) -> None:
    """Has the application answer with problems."""

    @app.exception_handler(NoAnswerError)
    async def no_answer(_request: Request, error: NoAnswerError) -> Response:
        return problem(error.kind, str(error), error.errors)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return await no_answer(request, unusable(request, error.errors()))

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        return problem(_kind_of(error), _detail_of(error, request), headers=error.headers)

    @app.exception_handler(Exception)
    async def fault(_request: Request, _error: Exception) -> Response:
        # what it was is logged; it is raised on when this has been sent
        return problem(FAULT, "the agent could not make this answer: its log says why")


def _kind_of(error: HTTPException) -> Kind:
    known = {404: UNKNOWN_PATH, 405: WRONG_METHOD}
    return known.get(error.status_code) or Kind("", error.status_code, error.detail)


def _detail_of(error: HTTPException, request: Request) -> str:
    if error.status_code == 404:
        return f"there is nothing at {request.url.path}: /docs lists what there is"
    if error.status_code == 405:
        there_are = (error.headers or {}).get("allow") or (error.headers or {}).get("Allow")
        return f"{request.method} is no method of {request.url.path}; there is {there_are}"
    return error.detail
