"""What is asked of an agent by those who answer over HTTP."""

from typing import Any, Protocol

from hopwatch_agent.live.asking import (
    ConnectionsAsked,
    FindingsAsked,
    IncidentsAsked,
    LanesAsked,
    Page,
    SocketsAsked,
)


class AgentState(Protocol):
    """What the handlers ask; the answers have the attributes of the models."""

    def failure(self) -> str | None:
        """Why the agent does not work any more."""

    def not_ready(self) -> str | None:
        """Why the agent has nothing true to show yet."""

    def status(self) -> object:
        """The agent itself."""

    def sockets(self, asked: SocketsAsked, /) -> Page[Any]:
        """The sockets asked for."""

    def socket(self, identity: str, /) -> object | None:
        """One socket."""

    def connections(self, asked: ConnectionsAsked, /) -> Page[Any]:
        """The connections asked for."""

    def findings(self, asked: FindingsAsked, /) -> Page[Any]:
        """The findings asked for, each with its socket."""

    def lanes(self, asked: LanesAsked, /) -> Page[Any]:
        """The lanes asked for."""

    def events(
        self,
        after: int,
        limit: int,
        kind: str | None = None,
        socket: str | None = None,
        *,
        newest: bool = False,
    ) -> Page[Any]:
        """The next events after a number."""

    def incidents(self, asked: IncidentsAsked, /) -> Page[Any]:
        """The incidents asked for."""

    def live(self, after: int, most: int) -> Any:
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
