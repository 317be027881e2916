"""The whole way of a journal through one agent, without threads and, mostly, without files of its own."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from hopwatch_agent.errors import CleaningError
from hopwatch_agent.landing.batches import Batch, BatchStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.parquet import table_of
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.live.state import Row
from hopwatch_agent.live.views import AgentView
from hopwatch_agent.settings.sections import AgentSettings, JournalSettings, LandingSettings, ListenSettings
from hopwatch_agent.store.blocks import PackedRow, unpacked
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store
from hopwatch_agent.tick import Ticker
from hopwatch_api.v1.models import (
    ConnectionModel,
    EventModel,
    LaneModel,
    SocketFindingModel,
    SocketModel,
)
from hopwatch_api.v1.status_models import StatusModel

LIMITS = Limits(processes=90, sockets=120, lanes=300)


class WatchedLanding(Landing):
    """Keeps what it is given; as files, or as tables that are made and let go."""

    def __init__(self, uri: str, *, to_disk: bool) -> None:
        super().__init__(uri)
        self.rows: list[Row] = []
        self._to_disk = to_disk

    def write(self, batch: Batch, name: str, rows: Iterable[PackedRow]) -> int:
        given = list(rows)
        self.rows += [row for _, row in unpacked(batch.kind, batch.host, given)]
        return (
            super().write(batch, name, given)
            if self._to_disk
            else table_of(batch.kind, batch.host, given).nbytes
        )


class FuzzedAgent:
    """The whole way of a journal through one agent, without threads."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / "journal"
        self.journal.mkdir()
        data = folder / "data"
        data.mkdir()
        prepare(data)
        self.landed = folder / "landed"
        self.store = Store(data)
        tables = self.store.load()
        self.board = Board(tables)
        settings = JournalSettings(self.journal, "box-1", LIMITS)
        self.now = 0.0
        self.ticker = Ticker(settings, self.store, tables, self.board, lambda: self.now)
        self.tables = tables
        self.batches = BatchStore(data)
        listen = ListenSettings("127.0.0.1", 0)
        self.view = AgentView(
            self.board, AgentSettings(settings, data, LandingSettings(str(self.landed)), listen), "0"
        )

    def close(self) -> None:
        self.ticker.close()
        self.store.close()
        self.batches.close()

    def tick(self) -> None:
        self.now += 0.5
        for _ in range(1000):
            if not self.ticker.run_once(forced=True):
                break
        else:
            pytest.fail("there is always more to read")
        # a folder that has a journal's name cannot be unlinked
        with suppress(CleaningError):
            self.ticker.clean()
        assert len(self.tables.sockets) <= LIMITS.sockets
        assert len(self.tables.lanes) <= LIMITS.lanes
        assert len(self.tables.connections) <= LIMITS.connections

    def show(self) -> None:
        StatusModel.model_validate(self.view.status()).model_dump_json()
        for model, views in (
            (SocketModel, self.view.sockets()),
            (ConnectionModel, self.view.connections()),
            (LaneModel, self.view.lanes()),
            (SocketFindingModel, self.view.findings()),
            (EventModel, self.view.events(0, 1000)),
        ):
            for view in views:
                model.model_validate(view).model_dump_json()

    def land(self, *, to_disk: bool) -> list[Row]:
        """Lands whatever waits, and gives it."""
        landing = WatchedLanding(str(self.landed), to_disk=to_disk)
        failure = Lander(self.batches, landing).run_once(lambda _rows: None)
        assert failure is None, failure
        return landing.rows
