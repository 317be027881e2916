"""Whatever is done to them, wrapped green sockets behave as bare ones: what is sent and received, who waits, and what a killed greenlet leaves."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from journal_reader import Journal

pytestmark = pytest.mark.skipif(
    find_spec("gevent") is None, reason="gevent is not there for every interpreter"
)

COMPARISON = Path(__file__).parents[1] / "support" / "green_comparison.py"


@pytest.mark.parametrize("how", [[], ["patched"]], ids=["unpatched", "patched"])
def test_wrapped_green_sockets_behave_as_bare_ones(journal: Journal, how: list[str]) -> None:
    runs = 8 * int(os.environ.get("DIFFERENTIAL_DEPTH", "1"))
    ended = subprocess.run(
        [sys.executable, COMPARISON, "0", str(runs), *how],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert journal.faults() == []
