"""The loop that lands, in a thread of its own."""

import secrets
import threading
import time
from collections.abc import Callable

from hopwatch_agent.errors import AgentError, LandingError, UnlandableBatchError
from hopwatch_agent.landing.keeping import Keeper
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.merger import Merger
from hopwatch_agent.live.board import Board
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.settings.sections import LandingSettings

LOOK_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
SHORTEST_RETRY_SECONDS = 1.0
KEEP_EVERY_SECONDS = 5.0
MERGE_AGAIN_SECONDS = 60.0

log = EventLogger(__name__)
_random = secrets.SystemRandom()

Step = Callable[[], LandingError | None]


class LandingLoop:
    """Lands every few seconds, or earlier if many rows wait, until told to stop; then once more.

    After a failure it pauses twice as long as before, a minute at most, and gives up what is too much to keep.
    """

    def __init__(
        self, lander: Lander, keeper: Keeper, merger: Merger, settings: LandingSettings, board: Board
    ) -> None:
        self._lander = lander
        self._keeper = keeper
        self._merger = merger
        self._settings = settings
        self._board = board
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="hopwatch-landing", daemon=True)
        self._failures = 0
        self._failure: Exception | None = None
        self._kept_at = 0.0
        self._spent = 0.0
        self._merge_at = 0.0

    def start(self) -> None:
        """Begins to land."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Lands what is left; False if that has not succeeded in ``seconds``: then ``left`` says what comes of it."""
        self._stop.set()
        self._thread.join(seconds)
        return not self._thread.is_alive() and self._failure is None

    @property
    def left(self) -> str:
        """What comes of that which could not be landed."""
        if isinstance(self._failure, UnlandableBatchError) and not self._thread.is_alive():
            return str(self._failure)
        return "not everything could be landed; the next run does it"

    def _run(self) -> None:
        while not self._wait():
            self._land()
            if self._failures and self._stop.is_set():
                # it has just been tried, and may take its time to fail
                return
            self._keep()
            self._merge()
        self._land()
        if not self._failures:
            # what was given up before is told, and that lands too
            self._keep()
            self._land()

    def _wait(self) -> bool:
        """Waits until it is time to land; True if it is time to stop."""
        due = time.monotonic() + self._pause()
        while (left := due - time.monotonic()) > 0:
            if self._stop.wait(min(left, LOOK_SECONDS)):
                return True
            if not self._failures and self._many_wait():
                return False
        return self._stop.is_set()

    def _pause(self) -> float:
        if not self._failures:
            return self._settings.seconds
        longest = max(LONGEST_PAUSE_SECONDS, self._settings.seconds)
        shortest = max(SHORTEST_RETRY_SECONDS, self._settings.seconds)
        # agents that a place has failed at the same moment must not all come back at the same moment
        return float(min(shortest * 2 ** min(self._failures - 1, 16), longest) * _random.uniform(0.5, 1.0))

    def _many_wait(self) -> bool:
        with self._board.held() as shown:
            return shown.progress.waiting >= self._settings.rows

    def _land(self) -> None:
        failure = self._attempt("landing", lambda: self._lander.run_once(self._forgotten))
        self._failure = failure
        # other batches than one that fits no table do land
        refused = failure is not None and not isinstance(failure, UnlandableBatchError)
        self._failures = self._failures + 1 if refused else 0
        if failure is None:
            with self._board.held() as shown:
                shown.progress.last_landing = time.time_ns()

    def _keep(self, *, landing: bool = False) -> None:
        self._kept_at = time.monotonic()
        self._attempt("keeping", lambda: self._hold_bounds(landing=landing))

    def _hold_bounds(self, *, landing: bool) -> None:
        given_up = self._keeper.give_up(old_too=not landing)
        if given_up:
            log.warning("given_up", rows=given_up, text="they could not be landed in time, and will never be")
            with self._board.held() as shown:
                shown.progress.waiting -= given_up
                shown.progress.given_up += given_up
        if not self._failures:
            self._board.publish_rows(self._keeper.tell())
        self._keeper.shrink()

    def _merge(self) -> None:
        if self._failures or time.monotonic() < self._merge_at:
            return
        if self._attempt("merging", self._merger.run_once):
            self._merge_at = time.monotonic() + MERGE_AGAIN_SECONDS

    def _attempt(self, source: str, step: Step) -> Exception | None:
        """Shows how the step went; gives the failure."""
        failure: Exception | None = None
        began, spent = time.monotonic(), self._spent
        try:
            failure = step()
            text = None if failure is None else str(failure)
        except AgentError as error:
            failure, text = error, str(error)
        except Exception as error:
            log.exception("landing_failed", source=source)
            failure, text = error, f"unexpected: {error!r}"
        self._board.set_error(source, text)
        # a step within this one is a part of it
        self._spent = spent + time.monotonic() - began
        with self._board.held() as shown:
            shown.progress.landing_seconds = self._spent
        return failure

    def _forgotten(self, rows: int) -> None:
        with self._board.held() as shown:
            shown.progress.waiting -= rows
            shown.progress.landed_rows += rows
        if time.monotonic() - self._kept_at > KEEP_EVERY_SECONDS:
            # what is too old lands all the same as long as the place takes it
            self._keep(landing=True)
