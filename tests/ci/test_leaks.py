"""Which test is told to have left something open."""

import subprocess
import sys
from pathlib import Path

import leaks

LEAKING = """
import socket

import pytest

class Cycle:
    def __init__(self):
        self.itself = self
        self.socket = socket.socket()

@pytest.fixture
def given():
    return Cycle()

@pytest.fixture(scope="module")
def kept():
    yield Cycle()

def test_that_leaves_nothing():
    pass

def test_that_leaves_a_socket_in_a_cycle():
    Cycle()

def test_that_is_given_one(given):
    pass

def test_after_them():
    pass

def test_whose_module_leaves_one(kept):
    pass
"""
LEAKING_A_DESCRIPTOR = """
import os

def test_that_leaves_a_descriptor():
    os.open(__file__, os.O_RDONLY)
"""


def test_what_only_the_collector_finds_is_told_of_the_test_that_left_it(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import leaks\n\ndef pytest_configure(config):\n    leaks.use(config)\n"
    )
    (tmp_path / "test_leaking.py").write_text(LEAKING)
    (tmp_path / "test_descriptor.py").write_text(LEAKING_A_DESCRIPTOR)
    (tmp_path / "test_next.py").write_text("def test_of_the_next_module(): pass\n")
    options = ("-W", "error", "-rA", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", ".")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "."],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(leaks.__file__).parent), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    told = {line.split(" - ")[0] for line in run.stdout.splitlines() if line.startswith("ERROR test_")}
    assert told == {
        "ERROR test_descriptor.py::test_that_leaves_a_descriptor",
        "ERROR test_leaking.py::test_that_is_given_one",
        "ERROR test_leaking.py::test_that_leaves_a_socket_in_a_cycle",
        "ERROR test_leaking.py::test_whose_module_leaves_one",
    }, run.stdout
