"""The paths of version 1: handlers that translate, and nothing else."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response

from hopwatch_api.parameters import only_known
from hopwatch_api.problem_examples import problems_of
from hopwatch_api.problems import INVALID_PARAMETERS, UNKNOWN_SOCKET, NoAnswerError
from hopwatch_api.state import AgentState
from hopwatch_api.v1 import cursors
from hopwatch_api.v1.answers import LASTING, MOVING
from hopwatch_api.v1.incident_models import IncidentModel
from hopwatch_api.v1.lists import ListOf
from hopwatch_api.v1.models import (
    ConnectionModel,
    EventModel,
    LaneModel,
    SocketFindingModel,
    SocketModel,
)
from hopwatch_api.v1.queries import (
    ConnectionsQuery,
    EventsQuery,
    FindingsQuery,
    IncidentsQuery,
    LanesQuery,
    SocketsQuery,
)
from hopwatch_api.v1.status_models import StatusModel

_json = msgspec.json.Encoder()


def version_1(state: AgentState) -> APIRouter:
    """All of them but ``/v1/live``."""
    router = APIRouter(
        prefix="/v1", dependencies=[Depends(only_known)], responses=problems_of(INVALID_PARAMETERS)
    )
    _add_status(router, state)
    _add_set_up(router, state)
    _add_losses(router, state)
    _add_sockets(router, state)
    return router


def _add_status(router: APIRouter, state: AgentState) -> None:
    @router.get("/status", response_model=StatusModel)
    async def status() -> Response:
        """The agent itself."""
        # asked often, and while the agent is busy: no thread is waited for, and nothing is made twice
        return Response(_json.encode(state.status()), media_type="application/json")


def _add_set_up(router: APIRouter, state: AgentState) -> None:
    of_connections = ListOf(ConnectionModel, "cursor", cursors.CONNECTIONS.written, lasting=True)
    of_findings = ListOf(SocketFindingModel, "cursor", cursors.FINDINGS.written, lasting=True)
    of_lanes = ListOf(LaneModel, "cursor", cursors.LANES.written, lasting=False)

    @router.get("/connections", response_model=list[ConnectionModel], responses=LASTING)
    def connections(request: Request, query: Annotated[ConnectionsQuery, Query()]) -> Response:
        """Connections of open sockets; those of one socket together."""
        return of_connections.answer(request, state.connections(query.asked()))

    @router.get("/findings", response_model=list[SocketFindingModel], responses=LASTING)
    def findings(request: Request, query: Annotated[FindingsQuery, Query()]) -> Response:
        """What is wrong or risky in the set-up of the sockets shown, as their processes found it."""
        return of_findings.answer(request, state.findings(query.asked()))

    @router.get("/lanes", response_model=list[LaneModel], responses=MOVING)
    def lanes(request: Request, query: Annotated[LanesQuery, Query()]) -> Response:
        """Lanes, at each of their ends; those of one socket together."""
        return of_lanes.answer(request, state.lanes(query.asked()))


def _add_losses(router: APIRouter, state: AgentState) -> None:
    of_incidents = ListOf(IncidentModel, "cursor", cursors.INCIDENTS.written, lasting=True)
    of_events = ListOf(EventModel, "after", lambda key: str(key[0]), lasting=True)

    @router.get(
        "/incidents",
        response_model=list[IncidentModel],
        responses=LASTING,
    )
    def incidents(request: Request, query: Annotated[IncidentsQuery, Query()]) -> Response:
        """What an analysis has found, where its report is read; behind it the losses since the agent was started that none has judged. Each the oldest first."""
        return of_incidents.answer(request, state.incidents(query.asked()))

    @router.get("/events", response_model=list[EventModel], responses=LASTING)
    def events(request: Request, query: Annotated[EventsQuery, Query()]) -> Response:
        """Recent events, the oldest first."""
        page = state.events(query.after, query.limit, query.kind, query.socket, newest=query.wants_newest)
        return of_events.answer(request, page)


def _add_sockets(router: APIRouter, state: AgentState) -> None:
    of_sockets = ListOf(SocketModel, "cursor", cursors.SOCKETS.written, lasting=False)

    @router.get("/sockets", response_model=list[SocketModel], responses=MOVING)
    def sockets(request: Request, query: Annotated[SocketsQuery, Query()]) -> Response:
        """Sockets, the oldest first."""
        return of_sockets.answer(request, state.sockets(query.asked()))

    @router.get(
        "/sockets/{identity}",
        response_model=SocketModel,
        responses=problems_of(UNKNOWN_SOCKET),
    )
    def socket(
        identity: Annotated[str, Path(description="16 hex digits", pattern="^[0-9a-f]{16}$")],
    ) -> SocketModel:
        """One socket."""
        view = state.socket(identity)
        if view is None:
            raise NoAnswerError(UNKNOWN_SOCKET, f"no socket has the id {identity}")
        return SocketModel.model_validate(view)
