"""Files that agents have merged into larger ones, whose parts stay for a while."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

_NAME = re.compile(r"([0-9a-f]+)-(\d+)-(\d+)\.parquet")


def without_parts(paths: Iterable[str]) -> list[str]:
    """The files, in order, without those whose rows are all in another one.

    A landed file is called ``<database>-<first block>-<last block>.parquet``: in one folder, and of one database, the rows of a
    file are all in another one if, and only if, its range lies within the other's.
    """
    ranges: dict[tuple[str, str], list[tuple[int, int, str]]] = defaultdict(list)
    kept = []
    for path in paths:
        named = _NAME.fullmatch(PurePosixPath(path).name)
        if named is None:
            kept.append(path)
        else:
            folder = str(PurePosixPath(path).parent)
            ranges[folder, named[1]].append((int(named[2]), -int(named[3]), path))
    for found in ranges.values():
        reached = -1
        for _first, minus_last, path in sorted(found):
            if -minus_last > reached:
                kept.append(path)
                reached = -minus_last
    return sorted(kept)
