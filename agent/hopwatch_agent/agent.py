"""One running agent: startup, the loops, shutdown."""

import time

from hopwatch_agent.landing.address import NOWHERE
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.keeping import Bounds, Keeper
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.loop import LandingLoop
from hopwatch_agent.landing.merger import Merger, MergeRule
from hopwatch_agent.live.board import EVENTS_KEPT, Board
from hopwatch_agent.live.draft import Tables
from hopwatch_agent.loop import TickLoop
from hopwatch_agent.report.loop import ReportLoop
from hopwatch_agent.settings.sections import AgentSettings
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.log_events import EventBook
from hopwatch_agent.telemetry.page import MetricsPage
from hopwatch_agent.telemetry.push import Push
from hopwatch_agent.telemetry.signal_plans import planned
from hopwatch_agent.tick import Ticker

LAST_LANDING_SECONDS = 5.0
"""What is kept of the time to end for the last tick and landing, where that leaves more than half of it."""
TELEMETRY_SECONDS = 3.0
"""How long the last export may take."""


class Agent:
    """The loops over one data directory, which must be owned by the caller."""

    def __init__(self, settings: AgentSettings) -> None:
        """Reads the state of the last run; raises ``DataDirectoryError`` and ``SettingsError``."""
        prepare(settings.data)
        self.settings = settings
        self._store = Store(settings.data)
        tables = self._store.load()
        self.board = Board(tables)
        self._restore()
        self._ticked = True
        self._lander, self._landings = self._make_landing()
        ticker = Ticker(settings.journal, self._store, tables, self.board)
        self._ticks = TickLoop(ticker, self.board, settings)
        self._reports = ReportLoop(settings.report, self.board)
        identity = Identity(settings.journal.host, self._store.name())
        self.metrics = MetricsPage(self.board, identity, settings.telemetry.disabled)
        book = self._book(tables) if settings.telemetry.logs is not None else None
        self._push = Push(planned(settings.telemetry, identity, self.board, book), self.board)

    def _book(self, tables: Tables) -> EventBook:
        book = EventBook(tables)
        self.board.listener = book.note
        with self.board.held() as shown:
            shown.progress.events_untold = book.untold
        return book

    def _restore(self) -> None:
        self.board.remember(self._store.newest_events(EVENTS_KEPT))
        waiting, faults = self._store.totals()
        with self.board.held() as shown:
            shown.progress.waiting = waiting
            shown.progress.faults = shown.progress.faults_before = faults

    def _make_landing(self) -> tuple[Lander, LandingLoop]:
        settings, batches = self.settings.landing, BatchStore(self.settings.data)
        landing = Landing(settings.uri)
        lander = Lander(batches, landing)
        keeper = Keeper(batches, Bounds(settings.keep_bytes, settings.keep_seconds))
        merge_seconds = 0 if settings.uri.startswith(NOWHERE) else settings.merge_seconds
        merger = Merger(batches, landing, MergeRule(merge_seconds, settings.merge_bytes))
        with self.board.held() as shown:
            shown.progress.given_up = shown.progress.given_up_before = keeper.given_up()
        return lander, LandingLoop(lander, keeper, merger, settings, self.board)

    def start(self) -> None:
        """Begins to read journals and to land; raises as ``TickLoop.start`` does."""
        self._ticks.start()
        self._landings.start()
        self._reports.start()
        self._push.start()

    def stop(self, seconds: float) -> bool:
        """A last tick, and everything landed; False if that was not possible in ``seconds``.

        What was not landed is in the database; ``left`` says what comes of it. With ``outlive``, most of the time is first for the processes
        that it reads to end.
        """
        deadline = time.monotonic() + seconds
        self._reports.end()
        if self.settings.outlive:
            self._ticks.outlive(max(seconds / 2, seconds - LAST_LANDING_SECONDS))
        ticked = self._ticks.stop((deadline - time.monotonic()) / 2)
        self._landings.end(deadline - time.monotonic())
        # the last export tells of what has landed, but has its time too where a place fails to the end
        self._landings.ended(deadline - TELEMETRY_SECONDS - time.monotonic())
        self._push.stop(min(TELEMETRY_SECONDS, max(0.0, deadline - time.monotonic())))
        landed = self._landings.ended(deadline - time.monotonic())
        self._ticked = ticked
        if ticked and landed:
            self._ticks.clean()
            self._ticks.close()
            self._store.close()
            self._lander.close()
        return ticked and landed

    @property
    def left(self) -> str:
        """What comes of that which ``stop`` could not land."""
        if self._ticked and self._landings.refused:
            return self._landings.refused
        folders = (
            f"in the database under {self.settings.data}, and lands when an agent runs on that folder again"
        )
        if not self._ticked:
            folders = f"in the journals under {self.settings.journal.directory} and {folders}"
        return f"not everything could be landed: the rest stays {folders}"
