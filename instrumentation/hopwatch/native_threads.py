"""Threads and locks of the operating system, also where gevent has put greenlets in their place.

The monitor thread waits inside libzmq: as a greenlet it would stop every other greenlet of the process. So what it runs on, and
what it shares with the application, is native. Nothing switches greenlets while it holds one of these locks.
"""

from __future__ import annotations

import _thread
import sys
import threading
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


def start(target: Callable[[], None], name: str) -> None:
    """Start a thread that does not keep the process alive. Raises RuntimeError where none can be had."""
    start_native = original(_thread, "start_new_thread")
    if start_native is _thread.start_new_thread:
        threading.Thread(target=target, name=name, daemon=True).start()
    else:
        start_native(target, ())


def original(module: ModuleType, name: str) -> Any:
    """What a module's name stood for before gevent took its place. Imports nothing, which fails while the interpreter ends."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None:
        return getattr(module, name)
    return monkey.get_original(module.__name__, name)
