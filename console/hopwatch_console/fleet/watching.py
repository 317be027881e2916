"""One agent watched for as long as somebody looks: its frames, its lists where they have changed, and its return when it was away."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta, timezone
from typing import Any

from hopwatch_console.asking.client import AgentClient
from hopwatch_console.errors import AgentError
from hopwatch_console.fleet.board import Board

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
LIST_SECONDS = 2.0
"""The same list is fetched no more often than that."""
OLD_LIST_SECONDS = 5.0
"""Of an agent that does not say when a list has changed, and of a list that is looked at."""
ENDED = AgentError("ended", "the agent has ended in order", "Start it again: hopwatch agent")


class Watcher:
    """Keeps a board up to date."""

    def __init__(self, board: Board, client: AgentClient) -> None:
        self._board = board
        self._client = client
        self._pause = FIRST_PAUSE_SECONDS
        self._ask_now = asyncio.Event()
        self._looked_at: Collection[str] = ()

    def ask_now(self) -> None:
        """Does not wait for the next try any longer."""
        self._ask_now.set()

    def look_at(self, names: Collection[str]) -> None:
        """Of these lists what waits, and what the kernel tells, is shown too, which changes without the list being called changed."""
        self._looked_at = names

    async def run(self) -> None:
        """Until it is cancelled."""
        try:
            while True:
                try:
                    await self._watch()
                    trouble = ENDED
                except AgentError as error:
                    trouble = error
                await self._wait(trouble)
        finally:
            await self._client.close()

    async def _watch(self) -> None:
        """Until the agent ends in order; raises ``AgentError``."""
        board = self._board
        board.begin(await self._client.status())
        lists = Lists(board, self._client)
        await lists.fetch_all()
        await self._follow(lists)

    async def _follow(self, lists: "Lists") -> None:
        board = self._board
        fetching: asyncio.Task[None] | None = None
        try:
            async for frame in self._client.live(board.last_event):
                board.take(frame)
                board.is_here(_now())
                self._pause = FIRST_PAUSE_SECONDS
                if fetching is None or fetching.done():
                    if fetching is not None:
                        fetching.result()
                    fetching = asyncio.create_task(lists.fetch_changed(self._looked_at))
        finally:
            if fetching is not None:
                fetching.cancel()
                await asyncio.gather(fetching, return_exceptions=True)

    async def _wait(self, trouble: AgentError) -> None:
        now = _now()
        self._board.is_away(now, trouble, now + timedelta(seconds=self._pause))
        self._ask_now.clear()
        try:
            await asyncio.wait_for(self._ask_now.wait(), self._pause)
        except asyncio.TimeoutError:
            self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)


class Lists:
    """The lists of one agent, each fetched when it has changed; and whether anything is numbered, until something is."""

    def __init__(self, board: Board, client: AgentClient) -> None:
        self._board = board
        self._client = client
        self._fetched: dict[str, tuple[float, int | None]] = {}
        """When, and at which revision."""
        self._fetches: dict[str, Callable[[], Awaitable[Any]]] = {
            "sockets": client.sockets,
            "connections": client.connections,
            "findings": client.findings,
            "incidents": client.incidents,
            "numbered": client.numbered,
        }

    async def fetch_all(self) -> None:
        """Each of them."""
        await asyncio.gather(*map(self._fetch, self._fetches))

    async def fetch_changed(self, looked_at: Collection[str]) -> None:
        """Those of which the last frame says that they are others now, and those that are looked at when they are old."""
        changed = [name for name in self._fetches if self._has_changed(name, looked_at)]
        await asyncio.gather(*map(self._fetch, changed))

    def _has_changed(self, name: str, looked_at: Collection[str]) -> bool:
        at, revision = self._fetched[name]
        age = asyncio.get_running_loop().time() - at
        if name == "numbered":
            return not self._board.numbered and age >= OLD_LIST_SECONDS
        told: int | None = getattr(self._board.revisions, name)
        if (told is None or name in looked_at) and age >= OLD_LIST_SECONDS:
            return True
        stale = (told is not None and told != revision) or (name == "sockets" and self._board.stale)
        return stale and age >= LIST_SECONDS

    async def _fetch(self, name: str) -> None:
        # what changes while it is fetched is fetched once more
        revision = getattr(self._board.revisions, name, None)
        self._fetched[name] = (asyncio.get_running_loop().time(), revision)
        told = await self._fetches[name]()
        if name == "sockets":
            self._board.put_sockets(told)
        else:
            setattr(self._board, name, told)


def _now() -> datetime:
    return datetime.now(timezone.utc)
