"""What may be asked of the lists that an agent has: which of them, and how many at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar, overload

T = TypeVar("T")

Key = tuple[int | str, ...]
"""The place of one in its list: it stays the same for as long as that one is there, whoever comes or goes."""


@dataclass(frozen=True)
class PageAsked:
    """``after``: the place of the last one that is known already; ``limit``: how many at most. None: all."""

    after: Key | None = None
    limit: int | None = None


WHOLE = PageAsked()


@dataclass(frozen=True)
class SocketsAsked:
    """``open``: neither closed nor of a process that is gone; ``losing``: its state is that; ``lost``: it has counted losses since it was opened."""

    page: PageAsked = WHOLE
    type: str | None = None
    name: str | None = None
    host: str | None = None
    pid: int | None = None
    open: bool | None = None
    state: str | None = None
    losing: bool | None = None
    lost: bool | None = None


@dataclass(frozen=True)
class ConnectionsAsked:
    """``socket``: id of the one that they are of."""

    page: PageAsked = WHOLE
    socket: str | None = None
    state: str | None = None


@dataclass(frozen=True)
class LanesAsked:
    """``socket``: id of the end; ``role``: what it is to the lane."""

    page: PageAsked = WHOLE
    socket: str | None = None
    stream: str | None = None
    role: str | None = None


@dataclass(frozen=True)
class FindingsAsked:
    """``socket``: id of the one that they are of."""

    page: PageAsked = WHOLE
    socket: str | None = None
    rule: str | None = None


@dataclass(frozen=True)
class IncidentsAsked:
    """``hop``: a text that its hop has in it; ``since``: it has ended then or later, as far as that is known."""

    page: PageAsked = WHOLE
    cause: str | None = None
    hop: str | None = None
    source: str | None = None
    since: datetime | None = None


ALL_INCIDENTS = IncidentsAsked()
ALL_SOCKETS = SocketsAsked()
ALL_CONNECTIONS = ConnectionsAsked()
ALL_LANES = LanesAsked()
ALL_FINDINGS = FindingsAsked()


class Page(Sequence[T], Generic[T]):
    """What was asked for; ``after`` is the place of the last one if there are more, else None."""

    def __init__(self, items: Sequence[T], after: Key | None = None) -> None:
        self.items = items
        self.after = after

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...

    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        return self.items[place]
