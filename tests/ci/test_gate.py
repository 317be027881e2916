"""What the gate says of tests that fail, and which tests of a change come first."""

import subprocess
import sys
from pathlib import Path

import gate
import pytest
import quick
from gate import Done, Failure, Stage

ROOT = Path(__file__).parents[2]
FAILS_ONCE = """
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_once(number):
    tried = Path(__file__).with_name(f"tried-{{number}}")
    first = not tried.exists()
    tried.touch()
    assert not first, "not yet"
"""
ALWAYS_FAILS = "def test_never(): assert 1 == 2"
PASSES = "def test_ever(): pass"


def played(folder: Path, **files: str) -> tuple[int, list[Done]]:
    """Run a stage of these files and a second try; the exit status and what was done."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    stage = Stage("some tests", "not absent", 0, folder=folder)
    done = [gate.run(stage)]
    return gate.verdict(done, gate.second_tries([stage], done)), done


def last_lines(capfd: pytest.CaptureFixture[str], first: str) -> list[str]:
    said = capfd.readouterr().out.splitlines()
    return said[max(place for place, line in enumerate(said) if line.startswith(first)) :]


def test_a_failure_is_listed_again_at_the_end_and_turns_the_run_red(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _ = played(tmp_path, failing=ALWAYS_FAILS, right=PASSES)
    assert status == 1
    said = last_lines(capfd, "FAILED ")
    assert said[0].endswith("test_failing.py::test_never")
    assert "assert 1 == 2" in said[1]
    assert said[-1] == "1 passed, 1 failed, 0 flaky"


def test_what_passes_at_the_second_try_is_shown_with_its_first_failure_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _ = played(tmp_path, flaky=FAILS_ONCE.format(count=1), right=PASSES)
    assert status == 0
    said = last_lines(capfd, "FLAKY ")
    assert said[0].endswith("test_flaky.py::test_once[0]")
    assert "not yet" in said[1]
    assert said[-1] == "2 passed, 0 failed, 1 flaky"


def test_more_than_two_flaky_tests_turn_the_run_red(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _ = played(tmp_path, flaky=FAILS_ONCE.format(count=3))
    assert status == 1
    assert last_lines(capfd, "FAILED: ")[0] == "FAILED: 3 tests are flaky; at most 2 may be"


def test_where_many_tests_fail_none_is_tried_again(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, done = played(tmp_path, failing=FAILS_ONCE.format(count=gate.MOST_SECOND_TRIES + 1))
    assert status == 1
    assert len(done[0].failures) == gate.MOST_SECOND_TRIES + 1
    assert "0 passed, 11 failed, 0 flaky" in capfd.readouterr().out


def test_a_file_that_cannot_be_imported_is_a_failure(tmp_path: Path) -> None:
    status, done = played(tmp_path, broken="import a_module_that_is_not_there", right=PASSES)
    assert status == 1
    assert "a_module_that_is_not_there" in done[0].failures[0].why


def test_a_stage_without_any_test_is_a_failure(tmp_path: Path) -> None:
    status, done = played(tmp_path)
    assert status == 1
    assert done[0].failures == (Failure("stage some tests", "pytest ended with status 5"),)


def test_a_stage_that_ends_without_a_report_is_a_failure(tmp_path: Path) -> None:
    status, _ = played(tmp_path, broken="import os\nos._exit(7)")
    assert status == 1


def test_a_check_that_fails_says_what_it_printed() -> None:
    done = gate.check(("ruff", "check", "a-file-that-is-not-there.py"))
    assert done.failures[0].what == "ruff check"
    assert "a-file-that-is-not-there.py" in done.failures[0].why


def test_the_nearest_tests_of_a_change_are_those_that_import_it_themselves() -> None:
    changed = {ROOT / "tests/support/docket.py"}
    assert quick.distance(ROOT / "tests/ci/test_docket.py", changed) == 1
    assert quick.distance(ROOT / "tests/ci/test_must_run.py", changed) == quick.NO_TESTS


def test_a_changed_test_is_its_own_nearest() -> None:
    test = ROOT / "tests/ci/test_docket.py"
    assert quick.distance(test, {test}) == 0


@pytest.mark.parametrize("root", quick.SOURCE_ROOTS)
def test_each_package_has_tests_beside_it(root: str) -> None:
    [test, *_] = sorted((ROOT / "tests" / root).rglob("test_*.py"))
    assert quick.distance(test, {ROOT / root / "a_module_that_nothing_imports.py"}) == quick.NO_TESTS - 1


def test_tests_that_come_too_late_are_left_out_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "conftest.py").write_text(
        "import in_time\npytest_addoption = in_time.add_option\npytest_configure = in_time.use\n"
    )
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT / 'tests' / 'support'}\n")
    (tmp_path / "test_two.py").write_text("def test_one(): pass\ndef test_two(): pass\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "--start-within=0"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    said = capfd.readouterr().out
    assert "no time was left for it" in said
    assert "2 skipped" in said
