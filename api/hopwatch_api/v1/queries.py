"""What may be asked of each list, and within which bounds."""

import re
from typing import Annotated, TypeAlias

from hopwatch_agent.live.asking import (
    ConnectionsAsked,
    FindingsAsked,
    IncidentsAsked,
    LanesAsked,
    SocketsAsked,
)
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from hopwatch_api.v1 import cursors
from hopwatch_api.v1.cursors import page_asked
from hopwatch_api.v1.words import (
    Cause,
    ConnectionState,
    EventKind,
    Role,
    SocketState,
    SocketType,
    Source,
    YesOrNo,
)

AT_ONCE = 10_000
EVENTS_AT_ONCE = 1000
NUMBER_LIMIT = 2**63 - 1
PID_LIMIT = 2**31 - 1

# null is not offered: a parameter that is not given is simply not there
_Nothing: TypeAlias = SkipJsonSchema[None]
_Id = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
_Text = Annotated[str, Field(max_length=1000)]
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")


def _as_written(given: object) -> object:
    # pydantic takes a number as a time, too
    if isinstance(given, str) and not _RFC_3339.fullmatch(given):
        raise ValueError("a time with its offset from UTC")
    return given


Time = Annotated[AwareDatetime, BeforeValidator(_as_written)]
_Count = Annotated[int, Field(ge=1, le=AT_ONCE)]

LIMIT = Field(default=None, description="how many at most: the Link header then has the next page")
CURSOR = Field(default=None, description="from the Link header of a page of this list: the page behind it")
ID_OF_SOCKET = Field(default=None, description="id of the socket, 16 hex digits")


class Query(BaseModel):
    """All that is given holds of what is told."""

    model_config = ConfigDict(frozen=True)


class SocketsQuery(Query):
    """Which sockets."""

    limit: _Count | _Nothing = LIMIT
    cursor: Annotated[str, Field(pattern=cursors.SOCKETS.pattern)] | _Nothing = CURSOR
    type: SocketType | _Nothing = Field(default=None, description="as ZeroMQ calls it")
    name: _Text | _Nothing = Field(default=None, description="its whole name")
    host: _Text | _Nothing = Field(default=None, description="that its process runs on")
    pid: Annotated[int, Field(ge=0, le=PID_LIMIT)] | _Nothing = Field(
        default=None, description="of its process, as that sees it itself"
    )
    open: YesOrNo | _Nothing = Field(
        default=None, description="whether it is in use: neither closed nor of a process that is gone"
    )
    state: SocketState | _Nothing = Field(default=None, description="how it is doing")
    losing: YesOrNo | _Nothing = Field(default=None, description="whether its state is losing")
    lost: YesOrNo | _Nothing = Field(
        default=None,
        description="whether it has lost something since it was opened: its counters lost or unroutable, or what was left_behind",
    )

    def asked(self) -> SocketsAsked:
        """As the agent takes it."""
        return SocketsAsked(
            page_asked(cursors.SOCKETS, self.cursor, self.limit),
            type=self.type,
            name=self.name,
            host=self.host,
            pid=self.pid,
            open=_flag(self.open),
            state=self.state,
            losing=_flag(self.losing),
            lost=_flag(self.lost),
        )


class ConnectionsQuery(Query):
    """Which connections."""

    limit: _Count | _Nothing = LIMIT
    cursor: Annotated[str, Field(pattern=cursors.CONNECTIONS.pattern)] | _Nothing = CURSOR
    socket: _Id | _Nothing = ID_OF_SOCKET
    state: ConnectionState | _Nothing = Field(default=None, description="its state now")

    def asked(self) -> ConnectionsAsked:
        """As the agent takes it."""
        page = page_asked(cursors.CONNECTIONS, self.cursor, self.limit)
        return ConnectionsAsked(page, socket=self.socket, state=self.state)


class LanesQuery(Query):
    """Which lanes."""

    limit: _Count | _Nothing = LIMIT
    cursor: Annotated[str, Field(pattern=cursors.LANES.pattern)] | _Nothing = CURSOR
    socket: _Id | _Nothing = Field(default=None, description="id of the socket at this end, 16 hex digits")
    stream: _Id | _Nothing = Field(default=None, description="id of the stream, 16 hex digits")
    role: Role | _Nothing = Field(default=None, description="what the socket is to the lane")

    def asked(self) -> LanesAsked:
        """As the agent takes it."""
        page = page_asked(cursors.LANES, self.cursor, self.limit)
        return LanesAsked(page, socket=self.socket, stream=self.stream, role=self.role)


class FindingsQuery(Query):
    """Which findings."""

    limit: _Count | _Nothing = LIMIT
    cursor: Annotated[str, Field(pattern=cursors.FINDINGS.pattern)] | _Nothing = CURSOR
    socket: _Id | _Nothing = ID_OF_SOCKET
    rule: _Text | _Nothing = Field(default=None, description="by which it was found, like no_linger")

    def asked(self) -> FindingsAsked:
        """As the agent takes it."""
        page = page_asked(cursors.FINDINGS, self.cursor, self.limit)
        return FindingsAsked(page, socket=self.socket, rule=self.rule)


class IncidentsQuery(Query):
    """Which incidents."""

    limit: _Count | _Nothing = LIMIT
    cursor: Annotated[str, Field(pattern=cursors.INCIDENTS.pattern)] | _Nothing = CURSOR
    cause: Cause | _Nothing = Field(default=None, description="why; one that is not known has none")
    hop: _Text | _Nothing = Field(default=None, description="a text that its hop has in it, like a name")
    source: Source | _Nothing = Field(default=None, description="who tells of it")
    since: Time | _Nothing = Field(
        default=None, description="it has ended then or later, or it is not known when"
    )

    def asked(self) -> IncidentsAsked:
        """As the agent takes it."""
        page = page_asked(cursors.INCIDENTS, self.cursor, self.limit)
        return IncidentsAsked(page, cause=self.cause, hop=self.hop, source=self.source, since=self.since)


class EventsQuery(Query):
    """Which events."""

    after: int = Field(default=0, ge=0, le=NUMBER_LIMIT, description="the last id already seen")
    limit: int = Field(
        default=100,
        ge=1,
        le=EVENTS_AT_ONCE,
        description="how many at most: the Link header has the next ones",
    )
    kind: EventKind | _Nothing = Field(default=None, description="what it tells of")
    socket: _Id | _Nothing = ID_OF_SOCKET
    newest: YesOrNo | _Nothing = Field(
        default=None, description="the newest ones instead of the next, the oldest of them first"
    )

    @property
    def wants_newest(self) -> bool:
        """Whether the newest ones are asked for."""
        return self.newest == "true"


def _flag(given: YesOrNo | None) -> bool | None:
    return None if given is None else given == "true"
