"""Continuous integration has everything that tests need: one that is skipped there has failed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

def test_that_runs(): pass

def test_that_lacks_a_tool(): pytest.skip("faketime is not installed")

@pytest.mark.skipif(True, reason="there is no chromium here")
def test_that_is_marked(): pass

@pytest.fixture
def store(): pytest.skip("SeaweedFS is not installed")

def test_whose_fixture_lacks_a_tool(store): pass

def test_that_cannot_run(): pytest.skip("cannot make a cgroup: read-only file system")

@pytest.mark.xfail(strict=True)
def test_that_is_known_to_fail(): assert False
"""
WHOLE_FILE = "import pytest\npytest.importorskip('a_module_that_is_not_there')\n"


def run(folder: Path, setting: str | None) -> tuple[int, str]:
    """Pytest's exit status and last line."""
    for name, text in (("test_single", TESTS), ("test_whole", WHOLE_FILE)):
        (folder / f"{name}.py").write_text(text)
    (folder / "conftest.py").write_text("import must_run\n\npytest_configure = must_run.use\n")
    (folder / "pytest.ini").write_text("[pytest]\n")
    environment = {name: value for name, value in os.environ.items() if name != "HOPWATCH_TESTS_MUST_RUN"}
    environment |= {"PYTHONPATH": str(ROOT / "tests" / "support"), "PYTEST_ADDOPTS": ""}
    environment |= {} if setting is None else {"HOPWATCH_TESTS_MUST_RUN": setting}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("setting", [None, "0"])
def test_a_developer_may_lack_what_tests_need(tmp_path: Path, setting: str | None) -> None:
    status, told = run(tmp_path, setting)
    assert status == 0
    assert "1 passed, 5 skipped, 1 xfailed" in told


def test_where_they_must_run_a_skip_is_a_failure_but_for_what_cannot_run_there(tmp_path: Path) -> None:
    status, told = run(tmp_path, "1")
    assert status == 1
    assert "1 failed, 1 passed, 1 skipped, 1 xfailed, 3 errors" in told
    assert "must run: faketime is not installed" in told


def test_continuous_integration_demands_it() -> None:
    assert "export HOPWATCH_TESTS_MUST_RUN=1" in (ROOT / ".ci" / "run").read_text()
