"""Server-sent events out of bytes, however these are cut."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from hopwatch_console.asking.server_events import data_of

STREAM = (
    b': a comment\nevent: live\nid: 7\ndata: {"name": "one\xe2\x80\xa8two\xc2\x85three\x1cfour"}\n\n'
    b"event:live\r\ndata:first\r\ndata: second\r\n\r\n"
    b"id: 8\n\n"
    b"data: plain\n\n"
    b"event: end\ndata: {}\n\nevent: live\ndata: not whole"
)
EXPECTED = [
    ("live", '{"name": "one\u2028two\x85three\x1cfour"}'.encode()),
    ("live", b"first\nsecond"),
    ("message", b"plain"),
    ("end", b"{}"),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
def test_every_whole_event_and_no_other(size: int) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for begin in range(0, len(STREAM), size):
            yield STREAM[begin : begin + size]

    async def read() -> list[tuple[str, bytes]]:
        return [event async for event in data_of(parts())]

    assert asyncio.run(read()) == EXPECTED
