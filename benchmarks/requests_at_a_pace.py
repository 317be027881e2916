"""Requests at a fixed pace, whether or not the last ones were answered, and how long each took from when it was due."""

from __future__ import annotations

import asyncio
import time
from urllib.parse import urlsplit

CONNECTIONS = 8


def latencies(url: str, path: str, rate: float, seconds: float) -> list[float]:
    """Seconds of each of ``rate * seconds`` requests."""
    return asyncio.run(_latencies(url, path, rate, seconds))


async def _latencies(url: str, path: str, rate: float, seconds: float) -> list[float]:
    address = urlsplit(url)
    request = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode()
    due: asyncio.Queue[float | None] = asyncio.Queue()
    taken: list[float] = []

    async def client() -> None:
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        while (at := await due.get()) is not None:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            assert head.startswith("http/1.1 200"), head
            await reader.readexactly(int(head.partition("content-length: ")[2].partition("\r\n")[0]))
            taken.append(time.monotonic() - at)
        writer.close()

    clients = [asyncio.create_task(client()) for _ in range(CONNECTIONS)]
    began = time.monotonic()
    for number in range(round(rate * seconds)):
        at = began + number / rate
        await asyncio.sleep(max(0.0, at - time.monotonic()))
        due.put_nowait(at)
    for _ in clients:
        due.put_nowait(None)
    await asyncio.gather(*clients)
    return taken
