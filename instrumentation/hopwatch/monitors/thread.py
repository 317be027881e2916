"""The one thread of a process that drains all monitors, at all times: a monitor that nobody reads blocks libzmq."""

import os
import select
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import zmq

from hopwatch.journal.files import KeptFile
from hopwatch.journal.journal import Journal
from hopwatch.monitors.pace import Pace
from hopwatch.monitors.room import Room, spare_descriptors, wait_until_gone
from hopwatch.monitors.watched import Watched
from hopwatch.native_threads import Notice, original, reentrant_lock, start

PAUSE_AFTER_FAULT = 0.25
HANDING_OVER_SECONDS = 1.0
FAULTS_TOLD = 20

LOOK_FOR_ROOM_SECONDS = 2.0
"""How often the thread counts descriptors, at least: the application opens some without calling hopwatch."""

Chore = Callable[[], float | None]
"""What the thread does besides draining monitors, without waiting. Returns in how many seconds, about, to do it again; None: never."""


class MonitorThread:
    """Takes over monitors as they are attached and journals what they tell; starts with the first of them.

    A fault in one of them is counted, and the others go on. ``room``: what monitors may take; ``is_ending``: only what has been begun
    is still done.
    """

    def __init__(self, journal: Journal, room: Room) -> None:
        self.room = room
        self.is_ending = False
        self._journal = journal
        self._incoming: deque[Watched | Chore] = deque()
        self._watched: list[Watched] = []
        self._due: dict[Chore, float] = {}
        self._until_the_end: set[Chore] = set()
        self._told: set[str] = set()
        self._poller = zmq.Poller()
        self._pace = Pace()
        self._resting = False
        self._wake = Wake()
        self._start_lock = reentrant_lock()
        self._started = self._runs = False
        self._by_hand = False
        self._handed_over = Notice()
        self._by_hand_lock = reentrant_lock()

    def take(self, work: Watched | Chore) -> None:
        """Hand over a monitor or a chore; the caller must not touch it any more. Raises RuntimeError where no thread can be started: it is not taken then."""
        if isinstance(work, Watched):
            self.room.entered(work)
        with self._start_lock:
            if self._by_hand and isinstance(work, Watched):
                self._watched.append(work)
            else:
                self._begin(work)

    def make_room(self, made: zmq.Socket[bytes]) -> None:
        """Give up monitors if the application, which has just made a socket, runs short of descriptors or of the context's sockets."""
        if self.room.may_be_short(made):
            wait_until_gone(self.room.give_up(made.context))

    def begin_with(self, chore: Chore) -> None:
        """Do this chore as well, from when a socket is used until the thread is asked to end."""
        self._until_the_end.add(chore)
        self._incoming.append(chore)

    def begin(self) -> None:
        """Start with the chores, where there is one and the application can spare a descriptor and a thread."""
        if not self._started and self._incoming and spare_descriptors() > 0:
            with self._start_lock, suppress(RuntimeError):
                self._start()

    def hurry(self, chore: Chore) -> None:
        """Do this chore now, which was handed over before."""
        self._incoming.append(chore)
        self._wake.give()

    def wake(self) -> None:
        """A monitor is being stopped: its receiving end should not be left open while the thread rests."""
        if self._by_hand:
            self._drain_by_hand()
        elif self._resting:
            self._wake.give()

    def hand_over(self) -> bool:
        """From now on whoever closes a socket drains its monitor; returns whether the thread is over.

        Before the interpreter ends: this thread ends earlier than the last contexts, and ``Context.term()`` would wait for it.
        """
        with self._start_lock:
            self.is_ending = True
            if not self._started:
                self._by_hand = True
                return True
        self._wake.give()
        return self._handed_over.wait_for(HANDING_OVER_SECONDS) and not self._due

    def end(self) -> None:
        """Once no socket is wrapped any more: end the thread, unless it is needed yet."""
        if self.hand_over():
            self._drain_by_hand()
            self.abandon()

    def abandon(self) -> None:
        """Let go of the descriptor, where there is no such thread any more: in a forked child, too."""
        self._wake.close()

    def _begin(self, work: Watched | Chore) -> None:
        self._incoming.append(work)
        try:
            self._start()
        except RuntimeError:
            self._incoming.remove(work)
            if isinstance(work, Watched):
                self.room.left(work)
            raise
        self._wake.give()

    def _start(self) -> None:
        if self._by_hand:
            raise RuntimeError("the monitor thread has ended")
        if self._started:
            return
        try:
            self._wake.open_for(self._poller)
        except OSError as error:
            raise RuntimeError(f"no descriptor to wake the monitor thread by: {error.strerror}") from error
        self._wake.give()
        start(self._run)
        self._started = True

    def _run(self) -> None:
        with self._start_lock:  # a signal handler's exception may have made take() start a second thread
            if self._runs:
                return
            self._runs = True
        while self._due or not self._by_hand:
            faultless = False
            with self._faults_counted():
                self._turn()
                faultless = True
            if not faultless:
                original(time, "sleep")(PAUSE_AFTER_FAULT)

    def _turn(self) -> None:
        with suppress(OSError):  # the application has closed all descriptors, and uses them up
            self._wake.open_for(self._poller)
        ready = self._wait()
        self._take_over()
        self._see_to_chores()
        if self._by_hand:
            return
        told = ready is not None and any(watched.pair in ready for watched in self._watched)
        for watched in self._watched.copy():
            with self._faults_counted():
                if (ready is None or watched.pair in ready) and not watched.drain():
                    self._watched.remove(watched)
                    self._poller.unregister(watched.pair)
                    self._close(watched)
        with self._faults_counted():
            self.room.give_up(None)
        self._pace.adapt(time.monotonic(), time.thread_time())
        if self.is_ending:
            self._leave_to_others()
        elif told and not self._pace.is_prompt():
            self._rest()

    def _see_to_chores(self) -> None:
        now = time.monotonic()
        for chore in [chore for chore, due in self._due.items() if due <= now]:
            self._due[chore] = now + PAUSE_AFTER_FAULT
            with self._faults_counted():
                seconds = chore()
                if seconds is None:
                    del self._due[chore]
                else:
                    self._due[chore] = self._pace.next_time(now, seconds)

    def _leave_to_others(self) -> None:
        for watched in self._watched:
            self._poller.unregister(watched.pair)
        with self._start_lock:  # take() may have appended a monitor since this turn began
            self._by_hand = True
            self._take_over()
        self._due = {chore: due for chore, due in self._due.items() if chore not in self._until_the_end}
        self._handed_over.give()

    def _drain_by_hand(self) -> None:
        with self._by_hand_lock:
            for watched in self._watched.copy():
                if self._has_ended(watched):
                    self._close(watched)
                    if watched in self._watched:  # a finalizer may have come in between
                        self._watched.remove(watched)

    def _close(self, watched: Watched) -> None:
        watched.close()
        self.room.left(watched)

    def _has_ended(self, watched: Watched) -> bool:
        """Drain it, past events that cannot be journaled: the interpreter may be half gone, and what imports anything fails."""
        for _ in range(FAULTS_TOLD):
            with self._faults_counted():
                return not watched.drain()
        return False

    def _rest(self) -> None:
        """Let events gather, unless a monitor comes or goes; chores are done meanwhile."""
        self._resting = True
        try:
            waiting = original(select, "poll")()  # select takes no descriptor from 1024 on
            if (descriptor := self._wake.descriptor) >= 0:
                waiting.register(descriptor, select.POLLIN)
            until = time.monotonic() + self._pace.pause
            while (now := time.monotonic()) < until:
                if waiting.poll(max(min([until, *self._due.values()]) - now, 0) * 1000 + 1):
                    break
                self._see_to_chores()
        finally:
            self._resting = False

    def _wait(self) -> set[object] | None:
        """Wait for what comes, or for the first chore that is due; what something has come to. None: not known."""
        until = [due - time.monotonic() for due in self._due.values()]
        seconds = min([*until, LOOK_FOR_ROOM_SECONDS] if self._watched else until, default=None)
        try:
            events = self._poller.poll(None if seconds is None else max(0, int(seconds * 1000) + 1))
        except zmq.ZMQError:
            return None  # a context is being terminated: draining tells whose, and closes its end
        return {source for source, _ in events}

    def _take_over(self) -> None:
        self._wake.take()
        while self._incoming:
            work = self._incoming.popleft()
            if isinstance(work, Watched):
                self._watched.append(work)
                if not self._by_hand:
                    self._poller.register(work.pair, zmq.POLLIN)
            else:
                self._due[work] = time.monotonic()

    @contextmanager
    def _faults_counted(self) -> Iterator[None]:
        """Without this thread monitors would fill up, and block whoever uses their sockets: nothing may end it."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 -- logging would make ``threading`` know this thread
            self._journal.count_fault()
            text = f"monitor thread: {type(error).__name__}: {error}"[:1000]
            if text not in self._told and len(self._told) < FAULTS_TOLD:
                self._told.add(text)
                self._journal.event("fault", text=text)


class Wake:
    """Ends the thread's wait: a pipe with one descriptor for both ends: unlike an eventfd it cannot be mistaken for what the application opened later."""

    def __init__(self) -> None:
        self._pipe: KeptFile | None = None

    @property
    def descriptor(self) -> int:
        """What becomes readable; -1 while it is not open."""
        return self._pipe.descriptor if self._pipe is not None and self._pipe.is_open() else -1

    def open_for(self, poller: zmq.Poller) -> None:
        """Have the poller wait for it, opened if it is not. Raises OSError; then nothing else is waited for in its place."""
        if self.descriptor >= 0:
            return
        if self._pipe is not None:
            poller.unregister(self._pipe.descriptor)
            self._pipe = None
        ends = os.pipe2(os.O_CLOEXEC)
        try:
            both = os.open(f"/proc/self/fd/{ends[0]}", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        finally:
            for end in ends:
                os.close(end)
        self._pipe = KeptFile(both)
        poller.register(both, zmq.POLLIN)

    def give(self) -> None:
        """Make it readable."""
        with suppress(OSError):  # it is not open, or full, and readable
            os.write(self.descriptor, b"\0")

    def take(self) -> None:
        """Have it unreadable again."""
        with suppress(OSError):  # it is not open, or empty
            os.read(self.descriptor, 4096)

    def close(self) -> None:
        """Close it, if nobody has."""
        if self._pipe is not None:
            self._pipe.close()
        self._pipe = None
