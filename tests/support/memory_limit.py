"""A cgroup with a limit of memory, of the test's own."""

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopwatch.cgroups import find_hierarchy

_numbers = itertools.count()

LIMIT_FILES = {1: "memory.limit_in_bytes", 2: "memory.max"}


class NoLimitError(Exception):
    """There can be none here."""


@contextmanager
def limited(size: int) -> Iterator[Path]:
    """The folder of a new cgroup; raises ``NoLimitError``. Its processes have to be gone at the end."""
    hierarchy = find_hierarchy()
    if hierarchy is None:
        raise NoLimitError("no cgroups are mounted that account for memory")
    folder = hierarchy.mounted / f"hopwatch-test-{os.getpid()}-{next(_numbers)}"
    try:
        folder.mkdir()
    except OSError as error:
        raise NoLimitError(f"cannot make a cgroup: {error}") from error
    try:
        try:
            (folder / LIMIT_FILES[hierarchy.version]).write_text(str(size))
        except OSError as error:
            raise NoLimitError(f"cannot limit a cgroup: {error}") from error
        yield folder
    finally:
        folder.rmdir()
