"""What is read of a request: no more than a review may have, in no more time than its sender waits, and few large ones at a time."""

import asyncio
from contextlib import AsyncExitStack

from fastapi import Request

from hopwatch_injector.errors import ReviewError

MOST_BYTES = 3 << 20
"""Of a review: what the API server keeps is of 1.5 MiB at most."""
SMALL_BYTES = 64 << 10
"""Most pods have a tenth of that. Whoever sends more takes a place."""
LARGE_AT_ONCE = 8
SECONDS = 2.5
"""The chart has the API server wait for three."""


class TooLargeError(ReviewError):
    """A body of more than ``MOST_BYTES``."""


class TooSlowError(ReviewError):
    """A body that was not there in ``SECONDS``."""


class Bodies:
    """Reads them. Used in one loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(LARGE_AT_ONCE)

    async def read(self, request: Request) -> bytes:
        """The whole body. Raises TooLargeError as soon as that is known, and TooSlowError."""
        told = request.headers.get("content-length", "0")
        if told.isdigit() and int(told) > MOST_BYTES:
            raise TooLargeError(f"{told} bytes are more than the {MOST_BYTES} that a review may have")
        try:
            return await asyncio.wait_for(self._read(request), SECONDS)
        except asyncio.TimeoutError as error:
            raise TooSlowError(f"the review was not there in {SECONDS} seconds") from error

    async def _read(self, request: Request) -> bytes:
        body = bytearray()
        async with AsyncExitStack() as places:
            holds = False
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise TooLargeError(f"a review may have {MOST_BYTES} bytes")
                if len(body) > SMALL_BYTES and not holds:
                    await places.enter_async_context(self._places)
                    holds = True
        return bytes(body)
