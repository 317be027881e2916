"""Lines that nobody would write: they cost no more than their length, and what follows is read."""

import logging
import tracemalloc
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from journal_writer import JournalWriter

Alive = Callable[[JournalWriter], AbstractContextManager[None]]
MIB = 1024 * 1024

LONG = "y" * 60_000


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("opened", {"name": LONG, "type": "PUB"}),
        ("opened", {"name": "x", "type": LONG, "sequence": "z"}),
        ("opened", {"name": "x", "type": "PUB", "options": {f"option_{n}": n for n in range(2_000)}}),
        ("option", {"option": LONG, "value": 1}),
        ("option", {"option": "x", "value": LONG}),
        ("bind", {"endpoint": LONG}),
        ("retried", {"endpoint": LONG}),
        ("handshake_failed", {"endpoint": "x", "reason": LONG}),
        ("connected", {"connection": 1, "endpoint": "x", "local": LONG}),
        ("lane", {"stream": "00000000000000a1", "lane": 1, "topic": "61" * 30_000}),
        ("finding", {"rule": "r", "text": LONG}),
        ("fault", {"text": LONG}),
        ("monitor", {"state": LONG}),
    ],
)
def test_long_texts_are_landed_whole_and_held_short(
    bench: Any, alive: Alive, caplog: pytest.LogCaptureFixture, event: str, fields: dict[str, Any]
) -> None:
    caplog.set_level(logging.ERROR)  # what is logged would be kept here
    writer = bench.writer(segment_limit=1 << 40)
    writer.opened("00000000000000a1")
    socket = {"socket": "00000000000000a1"}
    with alive(writer):
        writer.event(event, **socket, **fields)
        bench.tick()
        for _ in range(60):
            writer.event(event, **socket, **fields)
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        bench.tick()
        assert tracemalloc.get_traced_memory()[0] - before < 2 * MIB
        tracemalloc.stop()
        bench.view.sockets()
    longest = max((value for value in fields.values() if isinstance(value, str)), key=len)
    landed = [
        row
        for kind in ("socket", "option", "endpoint", "connection", "lane", "finding", "fault")
        for row in bench.rows(kind)
    ]
    whole = [row for row in landed if any(longest in str(value) for value in row.values())]
    assert len(whole) >= 61


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"opened","n":1,"t":1,"socket":"00000000000000a1","name":"\xff\xfe","type":"PUB"}',
        b'{"event":"opened","n":1,"t":1,"socket":"00000000000000a1","name":"\\ud800","type":"PUB"}',
        b'{"event":"opened","n":1,"t":1,"socket":"00000000000000a1","name":"\xed\xa0\x80","type":"PUB"}',
        b'{"event":"onset","n":1,"t":NaN,"socket":"00000000000000a1","number":1}',
        b'{"event":"onset","n":1,"t":1,"socket":"00000000000000a1","number":1,"x":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"event":"onset","n":1,"t":1,"socket":"00000000000000a1","number":' + b"9" * 60_000 + b"}",
        b'{"event":"onset","n":1,"t":9223372036854775808,"socket":"00000000000000a1","number":1}',
    ],
)  # fmt: skip
def test_a_line_that_nobody_would_write_is_one_fault_and_the_next_one_is_read(
    bench: Any, alive: Alive, line: bytes
) -> None:
    writer = bench.writer()
    with alive(writer):
        offset = writer.raw(line + b"\n")
        writer.next_n = 2
        writer.event("onset", socket="00000000000000a1", number=2)
        bench.tick()
    assert [row["number"] for row in bench.rows("onset")] == [2]
    (fault,) = bench.faults()
    assert fault.startswith(f"{writer.path('events', 0)}, byte {offset}: ")


def test_numbers_at_the_end_of_what_there_is_are_landed(bench: Any) -> None:
    writer = bench.writer()
    most = 2**63 - 1
    lane = {"socket": "00000000000000a1", "stream": "00000000000000a1", "lane": 0}
    writer.event("gap", t=most, **lane, first=0, last=most)
    writer.event("lanes", socket="00000000000000a1", final=True, lanes=[["00000000000000a1", 0, *[most] * 5]])
    bench.tick()
    (gap,) = bench.rows("gap")
    (lanes,) = bench.rows("lane")
    assert (gap["lost"], lanes["count"], lanes["frames"]) == (most, most, most)
