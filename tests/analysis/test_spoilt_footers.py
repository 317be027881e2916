"""However the footer of a landed file was spoilt, the file is read, or named and left out."""

import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[1] / "support"
WAYS = 400 * int(os.environ.get("FUZZ_DEPTH", "1"))
SEED = os.environ.get("FUZZ_SEED", "hopwatch")
ENDED_BY_PYARROW = 0.01
"""Some of one in two thousand: it throws in C++ where nothing catches, and no program can do anything about it."""


def test_each_is_read_or_named(landed: Path) -> None:
    (file,) = landed.glob("kind=connection/*/*/*.parquet")
    whole = file.read_bytes()
    told: dict[int, str] = {}
    ended = 0
    while len(told) + ended < WAYS:
        file.write_bytes(whole)
        first = len(told) + ended
        command = [
            sys.executable,
            str(SUPPORT / "spoilt_footers.py"),
            str(file),
            SEED,
            str(first),
            str(WAYS - 1),
        ]
        run = subprocess.run(command, check=False, capture_output=True, text=True)
        told |= {int(way): became for way, became in (line.split(" ", 1) for line in run.stdout.splitlines())}
        if run.returncode:
            assert "terminate called after throwing an instance of 'parquet::" in run.stderr, run.stderr
            ended += 1
    assert set(told.values()) == {"read", "skipped"}
    assert ended <= WAYS * ENDED_BY_PYARROW
