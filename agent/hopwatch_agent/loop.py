"""The agent's two loops, each in a thread of its own: ticks, and landing."""

import logging
import threading
import time
from collections.abc import Callable

from hopwatch_agent.errors import AgentError, LandingError
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.live.board import Board
from hopwatch_agent.settings.sections import LandingSettings
from hopwatch_agent.tick import Ticker

TICK_SECONDS = 0.2
RETRY_SECONDS = 1.0
LONGEST_RETRY_SECONDS = 60.0
LAST_TICKS = 1000

log = logging.getLogger(__name__)


class TickLoop:
    """Ticks until told to stop, then once more for all that is left."""

    def __init__(self, ticker: Ticker, board: Board) -> None:
        self._ticker = ticker
        self._board = board
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hopwatch-tick", daemon=True)

    def start(self) -> None:
        """Begins to tick; raises ``DirectoryInUseError``."""
        self._ticker.begin()
        with self._board.held() as shown:
            shown.progress.alive = True
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Ends after a last tick; False if that has not happened in ``seconds``."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

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
            self._ticker.end()
            with self._board.held() as shown:
                shown.progress.alive = False

    def _tick(self, *, forced: bool) -> bool | None:
        """True if there is more to read at once; None if it failed."""
        more: bool | None = None
        reason: str | None = None
        try:
            more = self._ticker.run_once(forced=forced)
        except OSError as error:
            reason = f"cannot read the journal directory: {error}"
        except AgentError as error:
            reason = str(error)
        except Exception as error:
            # the next tick starts from what was committed, so that going on is safe
            log.exception("a tick failed")
            reason = f"unexpected: {error!r}"
        self._board.set_error("tick", reason)
        self._note(reason)
        if reason is None:
            self.clean()
        return more

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

    def _note(self, error: str | None) -> None:
        with self._board.held() as shown:
            progress = shown.progress
            progress.heartbeat = time.monotonic()
            if error is None:
                progress.last_tick = time.monotonic()
                progress.not_ready = None
            else:
                progress.not_ready = error


class LandingLoop:
    """Lands every few seconds, or earlier if many rows wait, until told to stop; then once more."""

    def __init__(self, lander: Lander, settings: LandingSettings, board: Board) -> None:
        self._lander = lander
        self._settings = settings
        self._board = board
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hopwatch-landing", daemon=True)
        self._failures = 0

    def start(self) -> None:
        """Begins to land."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Lands what is left; False if that has not succeeded in ``seconds``."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive() and self._failures == 0

    def _run(self) -> None:
        while not self._wait():
            self._land()
        self._land()

    def _wait(self) -> bool:
        """Waits until it is time to land; True if it is time to stop."""
        due = time.monotonic() + self._pause()
        while (left := due - time.monotonic()) > 0:
            if self._stop.wait(min(left, RETRY_SECONDS)):
                return True
            if not self._failures and self._many_wait():
                return False
        return self._stop.is_set()

    def _pause(self) -> float:
        longest = max(LONGEST_RETRY_SECONDS, self._settings.seconds)
        return float(min(self._settings.seconds * 2 ** min(self._failures, 16), longest))

    def _many_wait(self) -> bool:
        with self._board.held() as shown:
            return shown.progress.waiting >= self._settings.rows

    def _land(self) -> None:
        error = self._attempt(lambda: self._lander.run_once(self._forgotten))
        self._failures = self._failures + 1 if error else 0
        self._board.set_error("landing", error)
        if error is None:
            with self._board.held() as shown:
                shown.progress.last_landing = time.time_ns()

    @staticmethod
    def _attempt(land: Callable[[], LandingError | None]) -> str | None:
        try:
            failure = land()
        except AgentError as error:
            return str(error)
        except Exception as error:
            log.exception("landing failed")
            return f"unexpected: {error!r}"
        return None if failure is None else str(failure)

    def _forgotten(self, rows: int) -> None:
        with self._board.held() as shown:
            shown.progress.waiting -= rows
            shown.progress.landed_rows += rows
