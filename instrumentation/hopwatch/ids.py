"""Ids of processes, sockets and proxies: 64 random bits, never 0, written as 16 hex digits."""

import os


def new_id() -> int:
    """A fresh id; the kernel's random source, so that forked children draw other ids than their parent."""
    return int.from_bytes(os.urandom(8), "little") or 1


def as_text(identifier: int) -> str:
    """The 16 lower-case hex digits that stand for an id in file names and in JSON."""
    return f"{identifier:016x}"
