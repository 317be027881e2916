"""Wall clocks that are wrong, for programs that a test starts: libfaketime."""

import shutil
from pathlib import Path

import pytest


def faked_wall_clock(**settings: str) -> dict[str, str]:
    """The environment of a program whose wall clock is wrong as FAKETIME... settings say; its monotonic clock is left as it is."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if shutil.which("faketime") is None or not found:
        pytest.skip("faketime is not installed")
    return {"LD_PRELOAD": str(found[0]), "FAKETIME_DONT_FAKE_MONOTONIC": "1", **settings}
