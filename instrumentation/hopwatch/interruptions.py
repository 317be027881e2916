"""Exceptions that are the application's own though they were raised in our code: those of its signal handlers."""

import signal
from functools import partial
from types import CodeType, TracebackType
from typing import Any

FROM_WITHOUT = ("greenlet", "gevent", "eventlet")
"""Packages whose exceptions are thrown into whatever code a greenlet is in: to kill it, or because its time is up."""


def comes_from_without(error: BaseException) -> bool:
    """Whether an exception was meant for the program, whose code only happened to be in a callable of the application's."""
    return (
        isinstance(error, KeyboardInterrupt)
        or type(error).__module__.partition(".")[0] in FROM_WITHOUT
        or raised_by_signal_handler(error.__traceback__)
    )


def raised_by_signal_handler(trace: TracebackType | None) -> bool:
    """Whether a handler that is installed for some signal is among the calls that a traceback went through."""
    handlers = {_code_of(signal.getsignal(number)) for number in signal.valid_signals()}
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _code_of(handler: Any) -> CodeType | None:
    while isinstance(handler, partial):
        handler = handler.func
    if not callable(handler):
        return None
    function = getattr(handler, "__func__", handler)
    code = getattr(function, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
    return code if isinstance(code, CodeType) else None
