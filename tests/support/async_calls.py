"""Calls of asyncio sockets: what an application can see of one, pending or not."""

import asyncio
from asyncio import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import zmq
import zmq.asyncio


@dataclass
class Call:
    """What was done to a socket: it has come to something, or is a future that may be pending."""

    socket: zmq.asyncio.Socket
    outcome: Any = None
    future: Future[Any] | None = None

    def seen(self) -> Any:
        """What an application can see of it by now."""
        if self.future is None:
            return self.outcome
        return seen(self.future), counted(self.socket)

    def found_nothing(self) -> bool:
        """Whether there was no message yet, and it may be done again."""
        if self.future is None:
            return asks_again(self.outcome)
        return self.future.done() and asks_again(seen(self.future))

    async def end(self, afterwards: str) -> None:
        """Give up what is pending."""
        if self.future is None or self.future.done():
            return
        if afterwards == "cancel":
            self.future.cancel()
        elif afterwards == "time out":
            with suppress(TimeoutError, asyncio.TimeoutError):
                await asyncio.wait_for(self.future, 0.002)


def counted(socket: zmq.asyncio.Socket) -> tuple[int, int]:
    """How many calls pyzmq has in its own queues."""
    return len(socket._send_futures), len(socket._recv_futures)  # noqa: SLF001


def seen(future: Future[Any]) -> Any:
    """What an application can see of a call."""
    if not future.done():
        return "pending"
    if future.cancelled():
        return "cancelled"
    error = future.exception()
    if error is not None:
        return error_seen(error)
    result = future.result()
    return [part_seen(part) for part in result] if isinstance(result, list) else part_seen(result)


def part_seen(part: Any) -> Any:
    if isinstance(part, zmq.Frame):
        return part.bytes, part.more
    return part if isinstance(part, bytes | int | None) else type(part).__name__


def error_seen(error: BaseException) -> Any:
    return type(error), getattr(error, "errno", None), str(error)


def asks_again(outcome: Any) -> bool:
    return isinstance(outcome, tuple) and outcome[:1] == (zmq.Again,)
