"""Pieces of a segment, cut at line ends."""

import os
from dataclasses import dataclass
from pathlib import Path

from hopwatch_agent.journal.opening import opened_regular

LINE_LIMIT = 64 * 1024
PIECE_LIMIT = 1024 * 1024
LEAST_PIECE = LINE_LIMIT + 4096


@dataclass(frozen=True)
class Piece:
    """What one read of a segment gave.

    ``lines`` are (offset, line without its end); ``overlong`` are offsets of lines past the limit.
    ``end`` is where to read on, ``skipping`` whether that is within an overlong line. ``rest`` is a line
    without an end that lies at ``end``, given only when the file has nothing after it.
    """

    lines: list[tuple[int, bytes]]
    overlong: list[int]
    end: int
    skipping: bool
    rest: bytes
    at_end: bool
    size: int


def read_piece(path: Path, offset: int, *, skipping: bool, most: int = PIECE_LIMIT) -> Piece:
    """Reads whole lines from ``offset`` on: 1 MiB, or ``most`` if that is less, but room for a whole line in any case.

    Raises as ``opened_regular`` does.
    """
    wanted = max(LEAST_PIECE, min(PIECE_LIMIT, most))
    with opened_regular(path) as descriptor:
        size = os.fstat(descriptor).st_size
        data = os.pread(descriptor, wanted, offset)
    return cut(data, offset, size, skipping=skipping, at_end=len(data) < wanted)


def cut(data: bytes, offset: int, size: int, *, skipping: bool, at_end: bool) -> Piece:
    """Cuts bytes that were read at ``offset`` of a file of ``size`` bytes into lines; ``at_end``: of its last ones."""
    start = 0
    if skipping:
        start = data.find(b"\n") + 1
        if start == 0:
            return Piece([], [], offset + len(data), True, b"", at_end, size)
    lines: list[tuple[int, bytes]] = []
    overlong: list[int] = []
    while (stop := data.find(b"\n", start)) >= 0:
        if stop - start > LINE_LIMIT:
            overlong.append(offset + start)
        else:
            lines.append((offset + start, data[start:stop]))
        start = stop + 1
    rest = data[start:]
    if len(rest) > LINE_LIMIT:
        overlong.append(offset + start)
        return Piece(lines, overlong, offset + len(data), True, b"", at_end, size)
    return Piece(lines, overlong, offset + start, False, rest if at_end else b"", at_end, size)
