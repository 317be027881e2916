"""File systems of a few MiB, which a test fills up."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest


@contextmanager
def small_disk(folder: Path, mebibytes: int) -> Iterator[None]:
    """The folder, which is made if need be, is a file system of that size; needs root."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(folder)]
    mounted = subprocess.run(mount, check=False, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"may not mount a file system: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """Leaves no room on the file system of the folder; gives the file to be unlinked for there to be some again."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        _write_for_ever(file)
    return filler


def _write_for_ever(file: BinaryIO) -> None:
    while True:
        file.write(b"x" * 4096)
