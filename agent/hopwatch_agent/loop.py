"""The loop that ticks, in a thread of its own."""

import threading
import time

from hopwatch_agent.errors import AgentError
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.costs import CostMeter
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.openness import data_warning, journal_warning
from hopwatch_agent.settings.sections import AgentSettings
from hopwatch_agent.tick import Ticker

TICK_SECONDS = 0.5
RETRY_SECONDS = 1.0
LAST_TICKS = 1000
MEASURE_SECONDS = 1.0

log = EventLogger(__name__)


class TickLoop:
    """Ticks until told to stop, then once more for all that is left."""

    def __init__(self, ticker: Ticker, board: Board, settings: AgentSettings) -> None:
        self._ticker = ticker
        self._board = board
        self._settings = settings
        self._meter = CostMeter()
        self._measured = float("-inf")
        self._succeeded = True
        self._stop = threading.Event()
        self._ticked = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hopwatch-tick", daemon=True)

    def start(self) -> None:
        """Begins to tick; raises ``DirectoryInUseError`` and ``ForeignDirectoryError``."""
        self._ticker.begin()
        with self._board.held() as shown:
            shown.progress.alive = True
        self._thread.start()

    def outlive(self, seconds: float) -> None:
        """Waits until none of the processes that are read lives, so long at most; ticks go on meanwhile."""
        deadline = time.monotonic() + seconds
        while self._board.progress.processes and self._thread.is_alive():
            self._ticked.clear()
            if not self._ticked.wait(deadline - time.monotonic()):
                return

    def stop(self, seconds: float) -> bool:
        """Ends after a last tick; False if that has not gone well in ``seconds``."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive() and self._succeeded

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                more = self._tick(forced=False)
                if more is None:
                    self._stop.wait(RETRY_SECONDS)
                elif not more:
                    self._stop.wait(TICK_SECONDS)
            for _ in range(LAST_TICKS):
                if not self._tick(forced=True):
                    return
        finally:
            with self._board.held() as shown:
                shown.progress.alive = False

    def _tick(self, *, forced: bool) -> bool | None:
        """True if there is more to read at once; None if it failed."""
        more: bool | None = None
        reason: str | None = None
        began = time.monotonic()
        try:
            more = self._ticker.run_once(forced=forced)
        except OSError as error:
            reason = f"cannot read the journal directory: {error}"
        except AgentError as error:
            reason = str(error)
        except Exception as error:
            # the next tick starts from what was committed, so that going on is safe
            log.exception("tick_failed")
            reason = f"unexpected: {error!r}"
        self._board.set_error("tick", reason)
        self._succeeded = reason is None
        self._note(reason or self._ticker.blind, time.monotonic() - began)
        if reason is None:
            self.clean()
        self._measure()
        self._ticked.set()
        return more

    def _measure(self) -> None:
        if time.monotonic() - self._measured < MEASURE_SECONDS:
            return
        self._measured = time.monotonic()
        directory, data = self._settings.journal.directory, self._settings.data
        self._board.set_warning("journal directory", journal_warning(directory))
        self._board.set_warning("data directory", data_warning(data))
        costs, sizes = self._meter.costs(), self._ticker.sizes(data)
        with self._board.held() as shown:
            shown.progress.costs, shown.progress.sizes = costs, sizes

    def close(self) -> None:
        """Lets another agent have the journal directory."""
        self._ticker.close()

    def clean(self) -> None:
        """Unlinks files that are not needed any more; what cannot be unlinked is tried again."""
        reason: str | None = None
        try:
            self._ticker.clean()
        except (OSError, AgentError) as error:
            reason = f"cannot clean the journal directory: {error}"
        self._board.set_error("cleaning", reason)

    def _note(self, error: str | None, seconds: float) -> None:
        with self._board.held() as shown:
            progress = shown.progress
            progress.heartbeat = time.monotonic()
            progress.tick_seconds = seconds
            progress.ticking_seconds += seconds
            first = progress.last_tick is None
            if error is None:
                progress.last_tick = time.monotonic()
                progress.not_ready = None
            else:
                progress.not_ready = error
        if error is None and first:
            log.info("ready", seconds=round((time.time_ns() - progress.started_at) / 1e9, 3))
