"""Files that agents have merged into larger ones, whose parts stay for a while."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

_NAME = re.compile(r"([0-9a-f]+)-(\d+)-(\d+)\.parquet")


@dataclass(frozen=True)
class BlockRange:
    """What a landed file's name says: the blocks from ``first`` to ``last`` of a folder and a database."""

    of: tuple[str, str]
    first: int
    last: int


def block_range(path: str) -> BlockRange | None:
    """None for a file that no agent has named."""
    named = _NAME.fullmatch(PurePosixPath(path).name)
    if named is None:
        return None
    return BlockRange((str(PurePosixPath(path).parent), named[1]), int(named[2]), int(named[3]))


def overlapping(paths: Iterable[str]) -> dict[str, str]:
    """Files that have some of the rows of another one and not all, each with that other one, which begins or reaches further.

    No agent writes such: which of the two has the rows as they were is not known, and both would have some of them twice.
    """
    ranges: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    for path in paths:
        found = block_range(path)
        if found is not None:
            ranges[found.of].append((found.first, -found.last, path))
    contrary = {}
    for files in ranges.values():
        reached, by = -1, ""
        for first, minus_last, path in sorted(files):
            if first <= reached < -minus_last:
                contrary[path] = by
            elif -minus_last > reached:
                reached, by = -minus_last, path
    return contrary


def without_parts(paths: Iterable[str]) -> list[str]:
    """The files, in order, without those whose rows are all in another one.

    A landed file is called ``<database>-<first block>-<last block>.parquet``: in one folder, and of one database, the rows of a
    file are all in another one if, and only if, its range lies within the other's.
    """
    ranges: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    kept = []
    for path in paths:
        found = block_range(path)
        if found is None:
            kept.append(path)
        else:
            ranges[found.of].append((found.first, -found.last, path))
    for files in ranges.values():
        reached = -1
        for _first, minus_last, path in sorted(files):
            if -minus_last > reached:
                kept.append(path)
                reached = -minus_last
    return sorted(kept)
