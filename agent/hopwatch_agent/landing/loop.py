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
FIRST_LAST_PAUSE_SECONDS = 0.5
LONGEST_LAST_PAUSE_SECONDS = 2.0
"""At the end: what this run does not land may never be, where the database goes with the pod."""

log = EventLogger(__name__)
_random = secrets.SystemRandom()

Step = Callable[[], LandingError | None]


class LandingLoop:
    """Lands every few seconds, or earlier if many rows wait, until told to end; then what is left.

    After a failure it pauses twice as long as before, a minute at most (two seconds at the end), and gives up what is too much to keep.
    """

    def __init__(
        self, lander: Lander, keeper: Keeper, merger: Merger, settings: LandingSettings, board: Board
    ) -> None:
        self._lander = lander
        self._keeper = keeper
        self._merger = merger
        self._settings = settings
        self._board = board
        self._ending = threading.Event()
        self._deadline = 0.0
        self._thread = threading.Thread(target=self._run, name="hopwatch-landing", daemon=True)
        self._failures = 0
        self._failure: Exception | None = None
        self._kept_at = 0.0
        self._spent = 0.0
        self._merge_at = 0.0

    def start(self) -> None:
        """Begins to land."""
        self._thread.start()

    def end(self, seconds: float) -> None:
        """Has it land what is left, and try for so long where the place fails."""
        self._deadline = time.monotonic() + seconds
        self._ending.set()

    def ended(self, within: float) -> bool:
        """Waits for its end, ``within`` seconds at most; True if it has come and everything has landed."""
        self._thread.join(max(0.0, within))
        return not self._thread.is_alive() and self._failure is None

    @property
    def refused(self) -> str | None:
        """Why no other run of this version could land what is left; None if one could."""
        refused = isinstance(self._failure, UnlandableBatchError) and not self._thread.is_alive()
        return str(self._failure) if refused else None

    def _run(self) -> None:
        while not self._wait():
            self._land()
            self._keep()
            self._merge()
        self._failures = 0
        while not self._land_the_last():
            pause = self._pause()
            left = self._deadline - time.monotonic()
            if left <= pause:
                return
            if self._failures == 1:
                log.warning(
                    "landing_again", text=f"what is left has not landed: it is tried for {left:.0f} s more"
                )
            time.sleep(pause)

    def _land_the_last(self) -> bool:
        self._land()
        if not self._failures:
            # what was given up before is told, and that lands too
            self._keep()
            self._land()
        return not self._failures

    def _wait(self) -> bool:
        """Waits until it is time to land; True if it is time to stop."""
        due = time.monotonic() + self._pause()
        while (left := due - time.monotonic()) > 0:
            if self._ending.wait(min(left, LOOK_SECONDS)):
                return True
            if not self._failures and self._many_wait():
                return False
        return self._ending.is_set()

    def _pause(self) -> float:
        if not self._failures:
            return self._settings.seconds
        shortest, longest = FIRST_LAST_PAUSE_SECONDS, LONGEST_LAST_PAUSE_SECONDS
        if not self._ending.is_set():
            shortest = max(SHORTEST_RETRY_SECONDS, self._settings.seconds)
            longest = max(LONGEST_PAUSE_SECONDS, self._settings.seconds)
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
