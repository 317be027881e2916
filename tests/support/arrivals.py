"""What two connected asyncio sockets owe each other: frames that were sent and have not been received.

Where messages take their time, a call that is cancelled, or does not wait, gets one or not as chance has it. Two pairs are alike
there only once whatever was sent has come to where it can be received.
"""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from dataclasses import dataclass, field
from typing import Any

import zmq

PROMPT_S = 10.0
"""What has not come after this was lost by right."""


@dataclass
class Direction:
    """From one socket to the other: its sends and the other's receives, in the order in which they were begun."""

    source: zmq.asyncio.Socket
    target: zmq.asyncio.Socket
    sends: list[tuple[list[Any], bool, Future[Any]]] = field(default_factory=list)
    receives: list[Future[Any]] = field(default_factory=list)
    lost: int = 0

    def sent(self, name: str, content: Any, flags: int, future: Future[Any]) -> None:
        self.sends.append(
            (content if name == "send_multipart" else [content], bool(flags & zmq.SNDMORE), future)
        )

    async def arrive(self) -> None:
        """Returns when all that the target is owed can be received, and no receive waits for it."""
        deadline = time.monotonic() + PROMPT_S
        while self._owed() > 0 and not self._is_ready():
            if time.monotonic() > deadline:
                self.lost += self._owed()
            await asyncio.sleep(0.001)

    def _is_ready(self) -> bool:
        waiting = any(not future.done() for future in self.receives)
        return bool(self.target.get(zmq.EVENTS) & zmq.POLLIN) and not waiting

    def _owed(self) -> int:
        return self._frames_sent() - sum(map(frames_of, self.receives)) - self.lost

    def _frames_sent(self) -> int:
        """Frames of whole messages that the target is to get."""
        count, message = 0, list[Any]()
        for frames, more, future in self.sends:
            if not succeeded(future):
                continue
            message += frames
            if not more:
                count += self._frames_at_target(message)
                message = []
        return count

    def _frames_at_target(self, message: list[Any]) -> int:
        if self.source.type == zmq.ROUTER:
            return len(message) - 1 if message[:1] == [b"me"] else 0
        if self.source.type == zmq.XSUB and bytes(message[0])[:1] in {b"\0", b"\1"}:
            return 0  # a subscription, which may be known already
        return len(message) + (self.target.type == zmq.ROUTER)


def succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


def frames_of(receive: Future[Any]) -> int:
    if not succeeded(receive):
        return 0
    result = receive.result()
    return len(result) if isinstance(result, list) else 1
