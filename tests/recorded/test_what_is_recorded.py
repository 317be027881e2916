"""Every system of the scenarios is recorded, and nothing else."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

from recordings import RECORDED, Recording, name_of, recordings

ROOT = Path(__file__).parents[2]
MEGABYTES_AT_MOST = 20


def played() -> list[str]:
    """The ids of the tests that play a system."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "--collect-only",
        "-q",
        "tests/scenarios",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::test_" in line]


def test_each_system_is_recorded_once_and_each_recording_is_of_one() -> None:
    names = Counter(name_of(test) for test in played())
    assert {name for name, times in names.items() if times > 1} == set()
    kept = {folder.name for folder in RECORDED.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert kept == set(names), (
        "scripts/record NAME... records a system; remove the folder of one that is gone"
    )


def test_recordings_have_their_names_marks_and_files() -> None:
    kept = recordings()
    assert len({recording.mark for recording in kept}) == len(kept)
    assert [recording.name for recording in kept if recording.name != name_of(recording.test)] == []
    assert [recording.name for recording in kept if not landed_files(recording)] == []


def test_together_they_are_small() -> None:
    assert (
        sum(path.stat().st_size for path in RECORDED.rglob("*") if path.is_file())
        <= MEGABYTES_AT_MOST * 1_000_000
    )


def landed_files(recording: Recording) -> list[Path]:
    """Files of hosts whose names begin with the recording's mark."""
    return list(recording.landed.glob(f"*/kind=*/date=*/host={recording.mark}*/*.parquet"))
