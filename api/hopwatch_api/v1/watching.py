"""``/v1/live``: what those who watch are pushed."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from hopwatch_api.live import LIVE_PATH, EventStream, Frame, LiveClients, LiveResponse
from hopwatch_api.parameters import only_known
from hopwatch_api.problem_examples import problems_of
from hopwatch_api.problems import BUSY, INVALID_PARAMETERS, NO_MORE_WATCH, NoAnswerError
from hopwatch_api.state import AgentState
from hopwatch_api.v1.answers import events_of
from hopwatch_api.v1.examples.live import pushed
from hopwatch_api.v1.live_models import LiveModel
from hopwatch_api.v1.queries import NUMBER_LIMIT

LIVE_SOCKETS = 2000
MANY_WATCH = "as many watch as may, or the agent is stopping: close a page of it, or a hopwatch top"

_json = msgspec.json.Encoder()


def live_of(state: AgentState) -> tuple[APIRouter, LiveClients]:
    """The path, and those who watch."""
    router = APIRouter(dependencies=[Depends(only_known)])

    def frame(after: int, sockets: int) -> Frame:
        view = state.live(after, sockets)
        return (view.events[-1].id if view.events else after), _json.encode(view)

    clients = LiveClients(frame)
    refusals = problems_of(INVALID_PARAMETERS, BUSY, NO_MORE_WATCH)

    @router.get(
        LIVE_PATH,
        response_class=EventStream,
        responses={**events_of(LiveModel.__name__, pushed()), **refusals},
    )
    async def live(
        after: Annotated[int, Query(ge=0, le=NUMBER_LIMIT, description="the last id already seen")] = 0,
        sockets: Annotated[int, Query(ge=0, le=LIVE_SOCKETS, description="of so many at most")] = 200,
    ) -> Response:
        """Each second, as server-sent events: the status, the sockets that move, and new events (the last 200 at first)."""
        if clients.full:
            raise NoAnswerError(NO_MORE_WATCH, MANY_WATCH)
        return LiveResponse(clients, after, sockets)

    return router, clients
