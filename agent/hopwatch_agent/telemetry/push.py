"""Pushing by OTLP, in a thread of its own: a receiver that is slow or gone keeps nothing else waiting."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from hopwatch_agent.errors import TelemetryError
from hopwatch_agent.live.board import Board
from hopwatch_agent.telemetry.exporter_logs import Heard, hearing
from hopwatch_agent.telemetry.signal_plans import Planned, Signal

LONGEST_PAUSE = 60.0
"""How long events wait for a receiver that is away before it is tried again, at most."""
ABORT_SECONDS = 1.0


@dataclass
class _Pushed:
    """A signal, and how it fares. ``due``: monotonic seconds."""

    plan: Planned
    due: float
    signal: Signal | None = None
    failures: int = 0


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
            with _translated():
                if pushed.signal is None:
                    pushed.signal = pushed.plan.make()
                done = step(pushed.signal)
        except TelemetryError as error:
            self._heard.text, done = str(error), False
        pushed.failures = 0 if done else pushed.failures + 1
        self._note(pushed, None if done else _shown(self._heard.text))

    def _note(self, pushed: _Pushed, reason: str | None) -> None:
        name = pushed.plan.name
        if reason is None:
            self._board.set_error(f"telemetry {name}", None)
            return
        self._board.set_error(f"telemetry {name}", f"cannot export {name}: {reason}")
        with self._board.held() as shown:
            failures = shown.progress.export_failures
            failures[name] = failures.get(name, 0) + 1


@contextmanager
def _translated() -> Iterator[None]:
    """The libraries raise what they like of a variable or a certificate that they cannot use."""
    try:
        yield
    except Exception as error:
        raise TelemetryError(f"{type(error).__name__}: {error}") from error


def _shown(text: str) -> str:
    """Without what differs each time, and without the name and the password that an endpoint may hold before its host."""
    text = re.sub(r"<(\S+) object at 0x[0-9a-f]+>", r"\1", text)
    text = re.sub(r"\d+\.\d+s\b", "some time", text)
    return re.sub(r"[^\s/]+@(?=\S)", "", text)
