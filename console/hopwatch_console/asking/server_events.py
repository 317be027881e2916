"""Server-sent events out of bytes.

Lines end at LF and nowhere else: names within the data may hold what Python, too, takes for the end of a line.
"""

from collections.abc import AsyncIterator

from hopwatch_console.errors import AgentError

LARGEST_EVENT = 64 * 1024 * 1024


async def data_of(parts: AsyncIterator[bytes]) -> AsyncIterator[tuple[str, bytes]]:
    """(event, data) of each event that is whole."""
    event, data = "message", bytearray()
    async for line in _lines(parts):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data:
                yield event, bytes(data)
            event, data = "message", bytearray()
        elif name == b"event":
            event = value.decode("utf-8", "replace")
        elif name == b"data":
            data += b"\n" + value if data else value
            _bound(len(data))


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    pieces: list[bytes] = []
    async for part in parts:
        # only what is new is looked through: a frame comes in many pieces
        *ended, rest = part.split(b"\n")
        for line in ended:
            yield b"".join((*pieces, line)).removesuffix(b"\r")
            pieces.clear()
        pieces.append(rest)
        _bound(sum(map(len, pieces)))


def _bound(size: int) -> None:
    if size > LARGEST_EVENT:
        raise AgentError(
            "not_an_agent",
            f"an event of more than {LARGEST_EVENT:,} bytes was pushed",
            "Agents push much smaller ones",
        )
