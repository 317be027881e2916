"""A series of runs is right if each run is whole and all right, and pytest itself says so."""

import importlib.util
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "tests_in_a_row.py"
_found = importlib.util.spec_from_file_location(PROGRAM.stem, PROGRAM)
assert _found is not None
assert _found.loader is not None
in_a_row = importlib.util.module_from_spec(_found)
_found.loader.exec_module(in_a_row)

Outcome = tuple[int, str, str]


def lines(number: int, *told: str) -> set[Outcome]:
    """What is read off lines as pytest prints them."""
    return {outcome for line in told if (outcome := in_a_row.outcome_of(number, line)) is not None}


def whole(number: int) -> set[Outcome]:
    return lines(
        number,
        "[gw0] [ 50%] PASSED tests/scenarios/test_topics.py::test_topics ",
        "[gw1] [100%] PASSED tests/scenarios/test_push.py::told of test_push[tcp] ",
        "some other line",
    )


WHOLE = whole(1) | whole(2)


def test_runs_that_are_whole_and_passed_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_a_row.summary(WHOLE, [0, 0], 1.0) == 0
    assert "2 of 2 runs were right" in capsys.readouterr().out


def test_a_run_that_lacks_a_test_is_not_right_and_the_test_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lacking = "tests/scenarios/test_push.py::told of test_push[tcp]"
    assert in_a_row.summary({one for one in WHOLE if one[:2] != (2, lacking)}, [0, 0], 1.0) == 1
    told = capsys.readouterr().out
    assert f"run 2: 1 passed; missing: {lacking}" in told
    assert "1 of 2 runs were right" in told


def test_a_run_without_any_outcome_is_not_right(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_a_row.summary(WHOLE, [0, 0, 0], 1.0) == 1
    assert "run 3: nothing; missing: " in capsys.readouterr().out


@pytest.mark.parametrize("what", ["SKIPPED", "FAILED", "ERROR"])
def test_a_run_with_a_test_that_did_not_pass_is_not_right(
    what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"[gw0] [ 80%] {what} tests/scenarios/test_topics.py::test_more "
    assert in_a_row.summary(WHOLE | lines(2, line), [0, 0], 1.0) == 1
    assert f"{what.lower()}: tests/scenarios/test_topics.py::test_more" in capsys.readouterr().out


def test_a_test_that_passed_and_then_could_not_be_cleared_up_after_is_not_right() -> None:
    error = "[gw0] [ 80%] ERROR tests/scenarios/test_topics.py::test_topics "
    assert in_a_row.summary(WHOLE | lines(2, error), [0, 0], 1.0) == 1


def test_a_run_is_not_right_where_pytest_itself_failed(capsys: pytest.CaptureFixture[str]) -> None:
    assert in_a_row.summary(WHOLE, [0, 3], 1.0) == 1
    told = capsys.readouterr().out
    assert "pytest ended with status 3" in told
    assert "1 of 2 runs were right" in told


def test_runs_without_any_test_are_not_right() -> None:
    assert in_a_row.summary(set(), [0], 1.0) == 1
