"""Threads and locks of the operating system, also where gevent has put greenlets in their place.

The monitor thread waits inside libzmq: as a greenlet it would stop every other greenlet of the process. So what it runs on, and
what it shares with the application, is native. Nothing switches greenlets while it holds one of these locks.
"""

import _thread
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any, cast

Lock = AbstractContextManager[bool]


def lock() -> Lock:
    """A native lock."""
    return cast(Lock, original(_thread, "allocate_lock")())


def reentrant_lock() -> Lock:
    """A native lock that its holder may take again."""
    return cast(Lock, original(_thread, "RLock")())


class Notice:
    """What one thread waits for, and another gives, once."""

    def __init__(self) -> None:
        self._withheld = original(_thread, "allocate_lock")()
        self._withheld.acquire()

    def give(self) -> None:
        """Let the waiting thread go on."""
        self._withheld.release()

    def wait_for(self, seconds: float) -> bool:
        """Wait until it is given; False if that takes longer."""
        return bool(self._withheld.acquire(timeout=seconds))


def start(target: Callable[[], None]) -> None:
    """Start a daemon thread with all signals blocked; ``threading`` does not list it.

    Raises RuntimeError if no thread can be started. Passes on exceptions of the application's signal handlers, also after the start.
    """
    # a new thread inherits the mask; ``pthread_sigmask`` may run the application's handlers
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        original(_thread, "start_new_thread")(target, ())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def original(module: ModuleType, name: str) -> Any:
    """What a module's name stood for before gevent took its place. Imports nothing, which fails while the interpreter ends."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None:
        return getattr(module, name)
    return monkey.get_original(module.__name__, name)
