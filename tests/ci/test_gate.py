"""What the gate says of tests that fail, and which tests of a change come first."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import checks
import gate
import pytest
import quick
import run_environment
import second_try
import sharing
from outcome import Done, Failure
from stage import Stage, run

ROOT = Path(__file__).parents[2]
FAILS_ONCE = """
from pathlib import Path

def test_once():
    tried = Path(__file__).with_name("tried")
    first = not tried.exists()
    tried.touch()
    assert not first, "not yet"
"""


def stage_of(folder: Path, **files: str) -> Stage:
    """A stage of these files, in one process."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    return Stage("some tests", "not absent", 0, folder=folder)


def test_what_fails_is_run_once_more_and_what_then_passes_is_flaky(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stage = stage_of(
        tmp_path,
        broken="import a_module_that_is_not_there",
        failing="def test_never(): assert 1 == 2",
        flaky=FAILS_ONCE,
        right="def test_ever(): pass",
    )
    done = [run(stage)]
    flaky = second_try.second_tries([stage], done)
    assert done[0].passed == 1
    assert [each.what for each in done[0].failures] == [
        "test_broken.py",
        "test_failing.py::test_never",
        "test_flaky.py::test_once",
    ]
    assert [each.what for each in flaky] == ["test_flaky.py::test_once"]
    capfd.readouterr()
    assert gate.verdict(done, flaky) == 1
    said = capfd.readouterr().out.splitlines()
    assert said[0] == "FLAKY test_flaky.py::test_once"
    assert "not yet" in said[1]
    assert [line for line in said if line.startswith("FAILED ")] == [
        "FAILED test_broken.py",
        "FAILED test_failing.py::test_never",
    ]
    assert any("a_module_that_is_not_there" in line for line in said)
    assert any("assert 1 == 2" in line for line in said)
    assert said[-1] == "2 passed, 2 failed, 1 flaky"


def test_what_could_not_be_set_up_once_is_one_flake_of_the_tests_that_share_it() -> None:
    failures = tuple(Failure(f"test_a.py::test_{number}", "not yet", "setup") for number in range(3))
    assert gate.verdict([Done("some tests", 1.0, 7, failures)], failures) == 0
    others = tuple(Failure(f"test_{number}.py::test", "not yet", "setup") for number in range(3))
    assert gate.verdict([Done("some tests", 1.0, 7, others)], others) == 1


@pytest.mark.parametrize("fails", ["import os; os._exit(0)", "import pytest; pytest.skip()"])
def test_what_does_not_pass_at_the_second_try_is_no_flake(tmp_path: Path, fails: str) -> None:
    stage = stage_of(tmp_path, odd=f"def test_odd(): {fails}")
    failure = Failure("test_odd.py::test_odd", "it crashed", "call")
    assert second_try.second_tries([stage], [Done(stage.name, 1.0, 0, (failure,))]) == []


def test_what_goes_wrong_at_the_end_is_tried_again_with_its_whole_file(tmp_path: Path) -> None:
    shared = "@pytest.fixture(scope='module')\ndef shared():\n    yield\n    assert 1 == 2\n"
    tests = "def test_that_uses_it(shared): pass\ndef test_that_does_not(): pass\n"
    stage = stage_of(tmp_path, shared=f"import pytest\n{shared}{tests}")
    done = run(stage)
    assert [(each.what, each.when) for each in done.failures] == [
        ("test_shared.py::test_that_does_not", "teardown")
    ]
    assert second_try.second_tries([stage], [done]) == []


def test_what_somebody_has_set_for_other_runs_is_of_no_account(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in run_environment.STEERING:
        monkeypatch.setenv(name, "-k nothing")
    assert not run_environment.environment({}).keys() & set(run_environment.STEERING)
    assert run_environment.environment(gate.SEARCHING)["HYPOTHESIS_PROFILE"] == "search"


def test_a_check_that_is_not_installed_has_failed_where_all_must_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPWATCH_TESTS_MUST_RUN", "1")
    assert checks.check(("a-check-that-is-not-there",)).failures != ()
    monkeypatch.delenv("HOPWATCH_TESTS_MUST_RUN")
    assert checks.check(("a-check-that-is-not-there",)).failures == ()


def test_a_stage_that_does_not_end_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stage.STAGE_SECONDS", 3)
    done = run(stage_of(tmp_path, endless="import time\nwhile True: time.sleep(1)"))
    assert done.failures == (Failure("stage some tests", "it had not ended after 3 s"),)


@pytest.mark.parametrize(("flakes", "status"), [(0, 0), (2, 0), (3, 1)])
def test_two_flaky_tests_are_shown_and_three_turn_the_run_red(
    flakes: int, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    failures = tuple(Failure(f"test_a.py::test_{number}", "not yet") for number in range(flakes))
    assert gate.verdict([Done("some tests", 1.0, 7, failures)], failures) == status
    said = capsys.readouterr().out
    assert said.splitlines()[-1] == f"{7 + flakes} passed, 0 failed, {flakes} flaky"
    assert ("FAILED: 3 tests are flaky; at most 2 may be" in said) is bool(status)


def test_where_many_tests_fail_none_is_tried_again(capsys: pytest.CaptureFixture[str]) -> None:
    failures = tuple(
        Failure(f"test_{number}.py::test", "") for number in range(second_try.MOST_SECOND_TRIES + 1)
    )
    stage = Stage("some tests", "", 0)
    assert second_try.second_tries([stage], [Done("some tests", 1.0, 0, failures)]) == []
    assert "11 tests failed: too many for a second try" in capsys.readouterr().out


def test_what_is_said_of_files_is_not_tried_again() -> None:
    failure = Failure("tests/recorded/test_recorded.py::test_a_system", "")
    assert (
        second_try.second_tries([Stage("some tests", "", 0)], [Done("some tests", 1.0, 0, (failure,))]) == []
    )


def test_a_stage_without_any_test_is_a_failure_unless_it_may_be_empty(tmp_path: Path) -> None:
    stage = stage_of(tmp_path, left_out="import pytest\n@pytest.mark.absent\ndef test_absent(): pass")
    assert run(stage).failures == (Failure("stage some tests", "pytest ended with status 5"),)
    assert run(replace(stage, may_be_empty=True)).failures == ()


def test_a_stage_that_ends_without_a_report_is_a_failure(tmp_path: Path) -> None:
    done = run(stage_of(tmp_path, broken="import os\nos._exit(7)"))
    assert done.failures == (Failure("stage some tests", "pytest ended with status 7"),)


def test_a_process_that_ends_between_two_tests_is_a_failure(tmp_path: Path) -> None:
    stage = replace(stage_of(tmp_path, right="def test_ever(): pass"), workers=1)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT / 'tests' / 'support'}\n")
    (tmp_path / "conftest.py").write_text(
        "import os, lost_workers\npytest_configure = lost_workers.use\n"
        "def pytest_sessionfinish(session):\n    hasattr(session.config, 'workerinput') and os._exit(0)\n"
    )
    done = run(stage)
    assert (done.passed, done.failures) == (1, (Failure("stage some tests", "pytest ended with status 1"),))


def test_a_check_that_fails_says_what_it_printed() -> None:
    done = checks.check(("ruff", "check", "a-file-that-is-not-there.py"))
    assert done.failures[0].what == "ruff check"
    assert "a-file-that-is-not-there.py" in done.failures[0].why


def test_the_nearest_tests_of_a_change_are_those_that_import_it_themselves() -> None:
    changed = {ROOT / "tests/support/docket.py"}
    assert quick.distance(ROOT / "tests/ci/test_docket.py", changed) == 1
    assert quick.distance(ROOT / "tests/ci/test_must_run.py", changed) == quick.NO_TESTS


def test_a_changed_test_is_its_own_nearest() -> None:
    test = ROOT / "tests/ci/test_docket.py"
    assert quick.distance(test, {test}) == 0


def test_a_module_that_is_gone_or_a_program_that_is_started_by_its_name_has_the_tests_that_name_it() -> None:
    gone = ROOT / "tests/support/a_module_that_is_gone.py"
    assert quick.file_of("a_module_that_is_gone", frozenset({gone})) == gone
    program = ROOT / "tests/support/parting_program.py"
    assert quick.imported(ROOT / "tests/support/parting_processes.py", frozenset()) >= {program}


@pytest.mark.parametrize(
    ("changed", "folders"),
    [
        ("helm/hopwatch/values.yaml", ("helm",)),
        ("tests/docs/incidents/one.json", ("docs",)),
        ("tests/agent/conftest.py", ("agent",)),
        ("tests/agent/test_tail.py", ()),
        ("docs/start.md", ("docs",)),
        ("README.md", ("ci", "docs")),
        ("scripts/lib/needs.sh", ("ci", "docs")),
    ],
)
def test_what_nothing_imports_concerns_the_tests_of_its_folder(
    changed: str, folders: tuple[str, ...]
) -> None:
    assert quick.folders_of(Path(changed)) == folders


def test_quick_chooses_by_what_git_says_whatever_names_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=tmp_path, check=True
        )

    monkeypatch.setattr(quick, "ROOT", tmp_path)
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
    git("init", "--quiet", "--initial-branch=trunk")
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    assert quick.changed_files() == ["first", "second"]
    git("branch", "main")
    assert quick.changed_files() == []
    git("mv", "first", "third")
    (tmp_path / "über zwei").touch()
    assert quick.changed_files() == ["first", "third", "über zwei"]


def test_quick_does_not_take_silence_of_git_for_no_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(subprocess.CalledProcessError):
        quick.changed_files()


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


def test_the_stage_of_spark_has_the_folders_that_its_tests_are_held_to() -> None:
    (stage,) = (each for each in gate.GATE if each.name == "Spark and systems")
    assert tuple(ROOT / folder for folder in stage.arguments) == sharing.OF_SPARK
