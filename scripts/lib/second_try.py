"""The second try of tests that failed: each once more, alone, after everything else."""

from collections.abc import Sequence

from outcome import Done, Failure, say
from stage import LOGS, Stage, outcomes, run_within

MOST_SECOND_TRIES = 10
"""Where more tests fail than this, chance is not the reason, and none is run again."""
JUDGED_FROM_FILES = "tests/recorded/"
"""What is said of the same files does not hang on chance: no test of these is run again."""
SECOND_TRY_SECONDS = 1800


def second_tries(stages: Sequence[Stage], done: Sequence[Done]) -> list[Failure]:
    """Run each failed test once more, alone, and return the failures that did not happen again."""
    by_stage = {stage.name: stage for stage in stages}
    failed = [
        (by_stage[each.name], failure)
        for each in done
        if each.name in by_stage
        for failure in each.failures
        if ".py" in failure.what and not failure.what.startswith(JUDGED_FROM_FILES)
    ]
    if len(failed) > MOST_SECOND_TRIES:
        say(f"{len(failed)} tests failed: too many for a second try")
        return []
    return [failure for stage, failure in failed if passes_alone(stage, failure)]


def passes_alone(stage: Stage, failure: Failure) -> bool:
    """Run a test once more: with all of its file where that is needed, as by what is told of a played system."""
    whole = failure.when == "teardown" or "::told of " in failure.what
    wanted = failure.what.partition("::")[0] if whole else failure.what
    say(f"second try: {wanted}")
    log = stage.folder / LOGS / "second-try.jsonl"
    log.unlink(missing_ok=True)
    command = ["pytest", "-m", stage.marked, f"--report-log={log}", wanted]
    status = run_within(SECOND_TRY_SECONDS, command, stage)
    passed, failures = outcomes(log)
    return status == 0 and passed > 0 and not failures
