"""The agent's own state, as an answer. It waits for nobody: who asks must not be held up by a tick."""

import platform
import sqlite3
import time
from importlib.metadata import version as version_of

from hopwatch_agent.landing.address import without_secret
from hopwatch_agent.live.answers import CostsView, DatabaseView, ErrorView, LagView, StatusView
from hopwatch_agent.live.board import Board, Progress
from hopwatch_agent.live.shaping import fault_view
from hopwatch_agent.live.times import moment, moment_or_none
from hopwatch_agent.settings.sections import AgentSettings
from hopwatch_agent.settings.telling import in_force

_PACKAGES = ("msgspec", "pyarrow", "uvicorn", "fastapi")


class Status:
    """Made from what the loops have noted last."""

    def __init__(self, board: Board, settings: AgentSettings, version: str) -> None:
        self._board = board
        self._settings = settings
        self._version = version
        self._versions = {
            "hopwatch": version,
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            **{name: version_of(name) for name in _PACKAGES},
        }
        self._in_force = in_force(settings.options)

    def view(self) -> StatusView:
        """As it is now."""
        progress = self._board.progress
        tick = progress.last_tick
        age = None if tick is None else time.monotonic() - tick
        return StatusView(
            version=self._version,
            host=self._settings.journal.host,
            started_at=moment(progress.started_at),
            directory=str(self._settings.journal.directory),
            landing=without_secret(self._settings.landing.uri),
            ready=progress.not_ready is None,
            processes=progress.processes,
            sockets=progress.sockets,
            lag_seconds=age,
            rows_waiting=progress.rows_waiting,
            rows_landed=progress.landed_rows,
            last_landing=moment_or_none(progress.last_landing),
            events_lost=progress.events_lost,
            faults=progress.faults,
            recent_faults=[fault_view(row) for row in progress.recent_faults],
            errors=_told(progress.errors),
            warnings=_told(progress.warnings),
            lag=LagView(progress.tick_seconds, age, progress.sizes.unread_bytes),
            database=DatabaseView(
                progress.rows_waiting, progress.sizes.database_bytes, progress.sizes.wal_bytes
            ),
            costs=_costs(progress),
            versions=self._versions,
            settings=self._in_force,
            usage=self._board.kernel.own_usage,
            memory=self._board.kernel.own_memory,
            rows_given_up=progress.given_up,
        )


def _told(texts: dict[str, tuple[str, int]]) -> list[ErrorView]:
    return [ErrorView(source, text, moment(since)) for source, (text, since) in sorted(texts.items())]


def _costs(progress: Progress) -> CostsView:
    costs = progress.costs
    return CostsView(
        cpu_seconds=costs.cpu_seconds,
        cpu_percent=costs.cpu_percent,
        rss_bytes=costs.rss_bytes,
        threads=costs.threads,
        descriptors=costs.descriptors,
        ticking_seconds=progress.ticking_seconds,
        landing_seconds=progress.landing_seconds,
    )
