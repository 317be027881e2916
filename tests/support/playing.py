"""A program with sockets, played in a process of its own, with a journal where the test wants it."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def playing(
    program: str,
    journal: Path,
    *arguments: str,
    until: str = "sent",
    before: Sequence[str] = (),
    **variables: str,
) -> Iterator[None]:
    """Lives as long as the block does, which begins when the program has printed the line ``until``. ``before``: such as what enters a namespace."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    with subprocess.Popen(
        [*before, sys.executable, "-c", program, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**environment, "HOPWATCH_DIR": str(journal), **variables},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"{until}\n"
            yield
        finally:
            process.kill()
