"""The HTTP application: handlers that translate, and nothing else."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Protocol

import msgspec
from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from hopwatch_api.documentation import described, documentation_page
from hopwatch_api.live import LIVE_PATH, EventStream, Frame, LiveClients, LiveResponse
from hopwatch_api.models import (
    ConnectionModel,
    ErrorAnswer,
    EventModel,
    HealthModel,
    IncidentModel,
    LaneModel,
    SocketFindingModel,
    SocketModel,
)
from hopwatch_api.status_models import StatusModel

EVENTS_AT_ONCE = 1000


class AgentState(Protocol):
    """What the handlers ask; the answers have the attributes of the models."""

    def failure(self) -> str | None:
        """Why the agent does not work any more."""

    def not_ready(self) -> str | None:
        """Why the agent has nothing true to show yet."""

    def status(self) -> object:
        """The agent itself."""

    def sockets(self) -> Sequence[object]:
        """Every socket."""

    def socket(self, identity: str, /) -> object | None:
        """One socket."""

    def connections(self) -> Sequence[object]:
        """Every connection."""

    def findings(self) -> Sequence[object]:
        """Every finding, with its socket."""

    def lanes(self) -> Sequence[object]:
        """Every lane."""

    def events(self, after: int, limit: int) -> Sequence[object]:
        """The next events after a number."""

    def incidents(self) -> Sequence[object]:
        """Losses so far, grouped."""

    def live(self, after: int) -> Any:
        """What is pushed to who watches; has ``events``."""


class MetricsAnswer(Protocol):
    """A page for Prometheus."""

    @property
    def status(self) -> int:
        """That of HTTP."""

    @property
    def content_type(self) -> str:
        """One of the formats that were asked for."""

    @property
    def body(self) -> bytes:
        """The page."""


_UNHEALTHY: dict[int | str, dict[str, Any]] = {503: {"model": HealthModel}}
_METRICS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {}, "application/openmetrics-text": {}}, "description": "The metrics"},
    503: {"content": {"text/plain": {}}, "description": "OTEL_SDK_DISABLED is true"},
}
_UNKNOWN: dict[int | str, dict[str, Any]] = {404: {"model": ErrorAnswer, "description": "No such socket"}}
NUMBER_LIMIT = 2**63 - 1

_json = msgspec.json.Encoder()


def create_app(
    state: AgentState, version: str = "", metrics: Callable[[str], MetricsAnswer] | None = None
) -> FastAPI:
    """The application over one agent's state; its ``state.live`` are those who watch.

    ``metrics`` makes the page of /metrics for an Accept header.
    """
    app = FastAPI(
        title="hopwatch agent", version=version or "0", redoc_url=None, docs_url=None, responses=described()
    )
    _add_state(app, state)
    _add_losses(app, state)
    _add_sockets(app, state)
    _add_live(app, state)
    _add_health(app, state)
    if metrics is not None:
        _add_metrics(app, metrics)
    documentation_page(app)
    return app


def _add_state(app: FastAPI, state: AgentState) -> None:
    @app.get("/v1/status", response_model=StatusModel)
    async def status() -> Response:
        """The agent itself."""
        # asked often, and while the agent is busy: no thread is waited for, and nothing is made twice
        return Response(_json.encode(state.status()), media_type="application/json")

    @app.get("/v1/connections")
    def connections() -> list[ConnectionModel]:
        """Connections of open sockets."""
        return [ConnectionModel.model_validate(view) for view in state.connections()]

    @app.get("/v1/findings")
    def findings() -> list[SocketFindingModel]:
        """What is wrong or risky in the set-up of the sockets shown, as their processes found it."""
        return [SocketFindingModel.model_validate(view) for view in state.findings()]

    @app.get("/v1/lanes")
    def lanes() -> list[LaneModel]:
        """Lanes, at each of their ends."""
        return [LaneModel.model_validate(view) for view in state.lanes()]


def _add_losses(app: FastAPI, state: AgentState) -> None:
    @app.get("/v1/incidents")
    def incidents() -> list[IncidentModel]:
        """Losses since the agent was started, grouped by receiver, stream and time: what is known so far."""
        return [IncidentModel.model_validate(view) for view in state.incidents()]

    @app.get("/v1/events")
    def events(
        after: Annotated[int, Query(ge=0, le=NUMBER_LIMIT, description="the last id already seen")] = 0,
        limit: Annotated[int, Query(ge=1, le=EVENTS_AT_ONCE)] = 100,
    ) -> list[EventModel]:
        """Recent events, the oldest first."""
        return [EventModel.model_validate(view) for view in state.events(after, limit)]


def _add_live(app: FastAPI, state: AgentState) -> None:
    def frame(after: int) -> Frame:
        view = state.live(after)
        return (view.events[-1].id if view.events else after), _json.encode(view)

    app.state.live = clients = LiveClients(frame)
    full: dict[int | str, dict[str, Any]] = {
        503: {"model": ErrorAnswer, "description": "Too many watch, or the agent is stopping"}
    }
    stream: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
    }

    @app.get(LIVE_PATH, response_class=EventStream, responses={**stream, **full})
    async def live(
        after: Annotated[
            int | None, Query(ge=0, le=NUMBER_LIMIT, description="the last id already seen")
        ] = None,
    ) -> Response:
        """Each second, as server-sent events: the status, the sockets that move, and new events (the last 200 at first)."""
        if clients.full:
            return JSONResponse({"error": "too many watch, or the agent is stopping"}, status_code=503)
        return LiveResponse(clients, after or 0)


def _add_sockets(app: FastAPI, state: AgentState) -> None:
    @app.get("/v1/sockets")
    def sockets() -> list[SocketModel]:
        """Sockets, the oldest first."""
        return [SocketModel.model_validate(view) for view in state.sockets()]

    @app.get("/v1/sockets/{identity}", response_model=SocketModel, responses=_UNKNOWN)
    def socket(
        identity: Annotated[str, Path(description="16 hex digits", pattern="^[0-9a-f]{16}$")],
    ) -> SocketModel | JSONResponse:
        """One socket."""
        view = state.socket(identity)
        if view is None:
            return JSONResponse({"error": f"no socket has the id {identity}"}, status_code=404)
        return SocketModel.model_validate(view)


def _add_health(app: FastAPI, state: AgentState) -> None:
    @app.get("/healthz", response_model=HealthModel, responses=_UNHEALTHY)
    async def healthz() -> JSONResponse:
        """Whether the agent's loop runs."""
        return _health(state.failure())

    @app.get("/readyz", response_model=HealthModel, responses=_UNHEALTHY)
    async def readyz() -> JSONResponse:
        """Whether the journal directory has been read."""
        return _health(state.not_ready())


def _add_metrics(app: FastAPI, metrics: Callable[[str], MetricsAnswer]) -> None:
    @app.get("/metrics", response_class=Response, responses=_METRICS)
    def page(request: Request) -> Response:
        """Metrics for Prometheus, as text or OpenMetrics."""
        answer = metrics(request.headers.get("accept", ""))
        return Response(answer.body, answer.status, media_type=answer.content_type)


def _health(reason: str | None) -> JSONResponse:
    return JSONResponse({"ok": reason is None, "reason": reason}, status_code=200 if reason is None else 503)
