"""The HTTP application: each version of the interface, and what has none."""

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from hopwatch_api.documentation import described, documentation_page
from hopwatch_api.health import EXAMPLES, health_of
from hopwatch_api.page.serving import add_page
from hopwatch_api.problem_examples import problems_of
from hopwatch_api.problems import BUSY, METRICS_OFF, NoAnswerError
from hopwatch_api.refusals import problems_for_errors
from hopwatch_api.state import AgentState, MetricsAnswer
from hopwatch_api.v1.examples.answers import ANSWERS
from hopwatch_api.v1.routes import version_1
from hopwatch_api.v1.watching import live_of

_METRIC = (
    "# HELP hopwatch_agent_processes Instrumented processes that live.\n"
    "# TYPE hopwatch_agent_processes gauge\n"
    "hopwatch_agent_processes 1.0"
)
_METRICS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The metrics",
        "content": {
            "text/plain": {"example": f"{_METRIC}\n"},
            "application/openmetrics-text": {"example": f"{_METRIC}\n# EOF\n"},
        },
    },
    **problems_of(BUSY, METRICS_OFF),
}


def create_app(
    state: AgentState, version: str = "", metrics: Callable[[str], MetricsAnswer] | None = None
) -> FastAPI:
    """The application over one agent's state; its ``state.live`` are those who watch.

    ``metrics`` makes the page of /metrics for an Accept header.
    """
    app = FastAPI(
        title="hopwatch agent",
        version=version or "0",
        openapi_url=None,
        redoc_url=None,
        docs_url=None,
        responses=described(),
    )
    problems_for_errors(app)
    app.include_router(version_1(state))
    watching, app.state.live = live_of(state)
    app.include_router(watching)
    app.include_router(health_of(state))
    if metrics is not None:
        _add_metrics(app, metrics)
    documentation_page(app, {**ANSWERS, **EXAMPLES})
    add_page(app)
    return app


def _add_metrics(app: FastAPI, metrics: Callable[[str], MetricsAnswer]) -> None:
    @app.get("/metrics", response_class=Response, responses=_METRICS)
    def page(request: Request) -> Response:
        """Metrics for Prometheus, as text or OpenMetrics."""
        answer = metrics(request.headers.get("accept", ""))
        if answer.status == METRICS_OFF.status:
            raise NoAnswerError(METRICS_OFF, answer.body.decode().strip())
        return Response(answer.body, answer.status, media_type=answer.content_type)
