"""Ids of processes, sockets and proxies: 64 random bits, never 0, written as 16 hex digits."""

import os
from hashlib import blake2b
from itertools import count

SEED_BYTES = 32


class Ids:
    """Fresh ids of one seed: asking the kernel for each would let other threads run, which making a bare socket does not."""

    def __init__(self) -> None:
        self._process = 0
        self._seed = b""
        self._drawn = count()

    def new(self) -> int:
        """An id that nobody has; a forked child draws other ones than its parent."""
        if self._process != os.getpid():
            self._seed, self._process = os.urandom(SEED_BYTES), os.getpid()
        text = b"%d" % next(self._drawn)
        return int.from_bytes(blake2b(text, digest_size=8, key=self._seed).digest(), "little") or 1


new_id = Ids().new


def as_text(identifier: int) -> str:
    """The 16 lower-case hex digits that stand for an id in file names and in JSON."""
    return f"{identifier:016x}"
