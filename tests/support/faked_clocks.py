"""Wall clocks that are wrong, for programs that a test starts: libfaketime."""

import shutil
from pathlib import Path

import pytest


def faked_wall_clock(**settings: str) -> dict[str, str]:
    """Return the environment of a program whose wall clock is wrong as FAKETIME... settings say.

    Its monotonic clock is left as it is, and so are its timed waits: with them "mended", threads wait half a minute for the interpreter's lock.
    """
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    if shutil.which("faketime") is None or not found:
        pytest.skip("faketime is not installed")
    as_they_are = {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_FORCE_MONOTONIC_FIX": "0"}
    return {"LD_PRELOAD": str(found[0]), **as_they_are, **settings}
