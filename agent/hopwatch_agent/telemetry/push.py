"""Pushing by OTLP, in a thread of its own: a receiver that is slow or gone keeps nothing else waiting."""

import logging
import re
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hopwatch_agent.live.board import Board
from hopwatch_agent.telemetry.heard import Heard, hearing
from hopwatch_agent.telemetry.planned import Planned, Signal

LINE_SECONDS = 600.0
"""How often a receiver that stays away is worth a line."""
LONGEST_PAUSE = 60.0
"""How long events wait for a receiver that is away before it is tried again, at most."""
ABORT_SECONDS = 1.0

log = logging.getLogger(__name__)


@dataclass
class _Pushed:
    """A signal, and how it fares. ``due``: monotonic seconds."""

    plan: Planned
    due: float
    signal: Signal | None = None
    failures: int = 0
    line_at: float | None = None


class Push:
    """Pushes what is planned until told to stop, then once more."""

    def __init__(self, plan: Sequence[Planned], board: Board) -> None:
        self._board = board
        now = time.monotonic()
        self._pushed = [_Pushed(planned, now + planned.seconds) for planned in plan]
        self._stop = threading.Event()
        self._heard = Heard()
        self._thread = threading.Thread(target=self._run, name="hopwatch-telemetry", daemon=True)

    def start(self) -> None:
        """Begins to push, if there is anything to push."""
        if self._pushed:
            self._thread.start()

    def stop(self, seconds: float) -> None:
        """A last push; given up after ``seconds``, so that a receiver that is gone keeps nobody waiting."""
        if not self._pushed:
            return
        self._stop.set()
        self._thread.join(seconds)
        for pushed in self._pushed:
            if pushed.signal is not None:
                pushed.signal.close()
        self._thread.join(ABORT_SECONDS)

    def _run(self) -> None:
        with hearing(self._heard):
            for pushed in self._pushed:
                self._attempt(pushed, lambda _signal: True)
            while not self._stop.wait(self._pause()):
                for pushed in self._pushed:
                    if pushed.due <= time.monotonic():
                        self._push(pushed)
            for pushed in self._pushed:
                self._push(pushed)

    def _pause(self) -> float:
        return max(0.0, min(pushed.due for pushed in self._pushed) - time.monotonic())

    def _push(self, pushed: _Pushed) -> None:
        self._attempt(pushed, lambda signal: signal.push())
        seconds = pushed.plan.seconds
        longest = max(seconds, LONGEST_PAUSE)
        pushed.due = time.monotonic() + min(seconds * 2 ** min(pushed.failures, 10), longest)

    def _attempt(self, pushed: _Pushed, step: Callable[[Signal], bool]) -> None:
        self._heard.text = "no answer"
        try:
            if pushed.signal is None:
                pushed.signal = pushed.plan.make()
            done = step(pushed.signal)
        except Exception as error:
            # the libraries raise what they like of a variable or a certificate that they cannot use
            log.debug("telemetry failed", exc_info=True)
            self._heard.text, done = f"{type(error).__name__}: {error}", False
        pushed.failures = 0 if done else pushed.failures + 1
        self._note(pushed, None if done else _without_secret(self._heard.text))

    def _note(self, pushed: _Pushed, reason: str | None) -> None:
        name = pushed.plan.name
        text = None if reason is None else f"cannot export {name}: {reason}"
        self._board.set_error(f"telemetry {name}", text)
        if text is None:
            if pushed.line_at is not None:
                log.warning("%s are exported again", name)
            pushed.line_at = None
            return
        with self._board.held() as shown:
            failures = shown.progress.export_failures
            failures[name] = failures.get(name, 0) + 1
        if pushed.line_at is None or time.monotonic() - pushed.line_at >= LINE_SECONDS:
            log.warning("%s; it is tried again", text)
            pushed.line_at = time.monotonic()


def _without_secret(text: str) -> str:
    """An endpoint may hold a name and a password before its host."""
    return re.sub(r"[^\s/]+@(?=\S)", "", text)
