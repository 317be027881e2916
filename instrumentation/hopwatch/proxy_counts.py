"""The counts that libzmq keeps of a running proxy, asked for again and again while it is at work."""

import _thread
import time
from pathlib import Path

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch import words
from hopwatch.monitors.pace import LONGEST_PAUSE, SHORTEST_PAUSE
from hopwatch.native_threads import lock
from hopwatch.own_socket import OwnSocket, own_context
from hopwatch.sockets.state import SocketState

COUNTED = (words.PROXIED_IN_FRAMES, words.PROXIED_IN_BYTES, words.PROXIED_OUT_FRAMES, words.PROXIED_OUT_BYTES)
"""The order in which STATISTICS gives the counts of one side."""

DONTWAIT = int(zmq.DONTWAIT)

ANSWERED_WITHIN = 0.005
"""Seconds after which answers are looked for: those of all proxies in one wake-up."""

AT_ONCE_MS = 2
"""How long a chore waits for an answer while the proxy is paused."""

FIRST_STOP, LAST_STOP = 1.0, 60.0
"""Seconds between restarts of an idle proxy: the first, and the longest of the doubling intervals."""

STATISTICS, PAUSE, TERMINATE = b"STATISTICS", b"PAUSE", b"TERMINATE"

ADDRESS = "inproc://statistics"

ASKED_ALL_THE_SAME = 5.0
"""Seconds of rest after which it is asked: a message that passes between an answer and the sleep that follows it is in no count and
no sleep of its own.
"""

SLEEPS = "voluntary_ctxt_switches:"

INTERRUPTED = (
    "a signal interrupted the proxy, which counts anew since then: some of what passed before is in no count"
)


class ProxyCounts:
    """A chore of the monitor thread: keeps a proxy's counts in the slots of its two sockets.

    Its sockets belong to a context of our own. It asks nothing before ``begun`` is set, once the proxy is in the journal.

    A signal that arrives while the proxy answers interrupts no wait, so that Python would not run its handler. Therefore an idle proxy is
    restarted: about a second after the last message, then at doubling intervals. ``proxying.py`` returns to Python in between. The proxy
    is paused first, so that the last counts are exact.
    """

    def __init__(self, front: SocketState, back: SocketState) -> None:
        """For the thread that will be the proxy's. Raises OSError and ZMQError where descriptors are too few for a context."""
        self._context = own_context()
        try:
            self.control = self._socket(zmq.REP)
            self.control.bind(ADDRESS)
            self.socket = self._socket(zmq.REQ)
            self.socket.connect(ADDRESS)
        except zmq.ZMQError:
            self._context.destroy(linger=0)
            raise
        self._sides = (front, back)
        self.begun = False
        self._asked: tuple[bytes, int] | None = None
        self._is_paused = self._has_been_asked = self._is_idle = False
        self._begun_at, self._patience = 0.0, FIRST_STOP
        self._told = [0] * 2 * len(COUNTED)
        self._before_interruptions = [0] * 2 * len(COUNTED)
        self._interrupted = False
        self._rest = Rest()
        self._pause = SHORTEST_PAUSE
        self._kept_at: int | None = None
        self._lock = lock()
        self._over = False

    def run(self) -> float | None:
        """Take the answer if there is one, or else ask; ever more seldom while nothing passes, and hardly at all while the proxy sleeps."""
        if self._over:
            self.socket.close()
            self._context.term()
            return None
        if not self.begun:
            return SHORTEST_PAUSE
        if self._asked is None:
            if self._is_idle and self._has_been_asked and time.monotonic() >= self._begun_at + self._patience:
                return self._ask(PAUSE)
            return self._look_at_rest() or self._ask(STATISTICS)
        answer = self._answer()
        if answer is None:
            return SHORTEST_PAUSE
        (command, asked_at), self._asked = self._asked, None
        return self._counted(answer, asked_at) if command == STATISTICS else self._obeyed(command)

    def _counted(self, told: list[int], asked_at: int) -> float:
        anew = told != self._told
        self._take(told)
        self._keep(asked_at)
        if self._is_paused:
            return self._ask(TERMINATE)
        self._rest.answered(anew=anew)
        self._is_idle, self._has_been_asked = not anew, True
        self._patience = FIRST_STOP if anew else self._patience
        self._pause = SHORTEST_PAUSE if anew else min(2 * self._pause, LONGEST_PAUSE)
        return self._pause

    def _obeyed(self, command: bytes) -> float:
        """Go on after PAUSE or TERMINATE."""
        self._is_paused = command == PAUSE
        if self._is_paused:
            return self._ask(STATISTICS)
        self._before_interruptions, self._told = self._totals(), [0] * len(self._told)
        self._has_been_asked = False
        self._begun_at, self._patience = time.monotonic(), min(2 * self._patience, LAST_STOP)
        return SHORTEST_PAUSE

    def _look_at_rest(self) -> float | None:
        """While it rests, its counts are those of now."""
        now = time.time_ns()
        if not self._rest.lasts():
            return None
        self._keep(now)
        return LONGEST_PAUSE

    def end(self) -> dict[str, object]:
        """The proxy has ended: nothing is kept from here on, so that its sockets' slots may be given back. What was kept last."""
        with self._lock:
            self._over = True
        self.control.close()
        front, back = ([side.slot.words[word] for word in COUNTED] for side in self._sides)
        return {"frontend_counts": front, "backend_counts": back, "counted_at": self._kept_at}

    def abandon(self) -> None:
        """Close everything, where the monitor thread has not taken this over."""
        self._context.destroy(linger=0)

    def _ask(self, command: bytes) -> float:
        """Send a command, and return in how many seconds to look for the answer."""
        asked_at = time.time_ns()
        self._rest.ask()
        try:
            BackendSocket.send(self.socket, command, DONTWAIT)
        except zmq.Again:
            return LONGEST_PAUSE
        self._asked = command, asked_at
        if (self._is_paused or command == PAUSE) and self.socket.poll(AT_ONCE_MS):
            return 0.0
        return ANSWERED_WITHIN

    def _answer(self) -> list[int] | None:
        """Return the counts, or a single zero for another command; None while no answer is there. The bare calls take half the time."""
        parts = 2 * len(COUNTED) if self._asked and self._asked[0] == STATISTICS else 1
        try:
            answer = [BackendSocket.recv(self.socket, DONTWAIT) for _ in range(parts)]
        except zmq.Again:
            return None
        return [int.from_bytes(part, "little") for part in answer]

    def _take(self, told: list[int]) -> None:
        """After a signal pyzmq runs its handler and begins the proxy anew, and its counts with it."""
        if any(now < before for now, before in zip(told, self._told, strict=True)):
            self._before_interruptions = self._totals()
            if not self._interrupted:  # told once: the socket's counts are too low for good
                self._interrupted = True
                for side in self._sides:
                    side.event("fault", text=INTERRUPTED)
        self._told = told

    def _totals(self) -> list[int]:
        return [before + now for before, now in zip(self._before_interruptions, self._told, strict=True)]

    def _keep(self, as_of: int) -> None:
        with self._lock:
            if self._over:
                return
            totals = self._totals()
            for side, values in zip(self._sides, (totals[:4], totals[4:]), strict=True):
                for word, value in zip(COUNTED, values, strict=True):
                    side.slot.words[word] = value
                side.slot.words[words.PROXIED_AT] = as_of
            self._kept_at = as_of

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket = self._context.socket(kind, OwnSocket)
        socket.setsockopt(zmq.LINGER, 0)
        return socket


class Rest:
    """Whether a proxy has rested since it told its counts: then they hold still, and nobody has to wake it to ask for them.

    A signal that arrives just as a proxy is awake is seen by the application only when its next wait is interrupted. A bare proxy through
    which nothing passes is never awake, so ours is not to be either. For the thread that makes one, which is to be the proxy's own.
    """

    def __init__(self) -> None:
        self._status = Path(f"/proc/self/task/{_thread.get_native_id()}/status")
        self._slept_when_asked: int | None = None
        self._sleeps: int | None = None
        self._check_at = 0.0

    def lasts(self) -> bool:
        """Whether it has done nothing since it answered."""
        return (
            self._sleeps is not None and self._sleeps == self._slept() and time.monotonic() < self._check_at
        )

    def ask(self) -> None:
        """It is about to be woken by a question."""
        self._sleeps = None
        self._slept_when_asked = self._slept()

    def answered(self, *, anew: bool) -> None:
        """It has answered; ``anew``: other counts than before. To be asleep again takes one more sleep, if all that woke it was the question."""
        if not anew and self._slept_when_asked is not None:
            self._sleeps = self._slept_when_asked + 1
            self._check_at = time.monotonic() + ASKED_ALL_THE_SAME

    def _slept(self) -> int | None:
        """How often it has gone to sleep, if it is asleep and that can be known (Linux, proc(5))."""
        try:
            status = self._status.read_text()
        except OSError:
            return None
        asleep = "\nState:\tS" in status
        return int(status.partition(SLEEPS)[2].split()[0]) if asleep and SLEEPS in status else None
