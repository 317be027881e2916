"""Run the checks and the stages of tests, try once more what failed, and say at the end what is wrong.

    python scripts/lib/gate.py gate     # every check, and the tests that only a fault turns red
    python scripts/lib/gate.py all      # these and the tests marked ``extended``
    python scripts/lib/gate.py quick    # the checks, and the tests of what changed, for as long as two minutes allow

Nothing ends a run early: one run shows all that is wrong. The exit status is 0 if all is right, else 1.
"""

import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence

from checks import COLLECTED, DOCUMENTS, OF_PYTHON, checks, linters
from outcome import Done, Failure, say
from quick import tests_of_change
from run_environment import ROOT
from second_try import second_tries
from stage import Stage, run

MOST_FLAKES = 2
"""More tests than this that pass at the second try only turn the run red."""
NO_JAVA = {"JAVA_HOME": "/no-java-in-this-stage"}
"""Spark looks here first: a test that needs Spark and is not marked so fails in the first stage."""
OF_SPARK = ("tests/analysis", "tests/recorded", "tests/scenarios")
"""Folders of the gate's tests of Spark: to look through all others takes each process longer than an analysis."""
QUICK_SECONDS = 60
"""After so long no further test of a quick run begins."""
QUICK_TEST_SECONDS = 45
"""After so long a test of a quick run that has not ended has failed."""
NOTHING_DRAWN = {"PYTHONHASHSEED": "0"}
"""Sets of text have the same order in each run of the gate."""
GATE = (
    Stage("without Java", "not spark and not scenario and not extended", 4, NO_JAVA | NOTHING_DRAWN),
    Stage("Spark and systems", "(spark or scenario) and not extended", 2, NOTHING_DRAWN, OF_SPARK),
)
"""Systems come last in the sessions of Spark that the tests before them have warmed: a new one takes a minute longer."""
SEARCHING = {"HYPOTHESIS_PROFILE": "search"}
ALL = (
    Stage("without Java", "not spark and not scenario", 4, NO_JAVA | SEARCHING),
    Stage("Spark and systems", "spark or scenario", 2, SEARCHING),
)

SET_UP_OF_ALL = "scripts/lib/set-up-all"
"""Images of containers take minutes to build: they have to wait until the sources are known to be right."""
OF_OTHERS = (("scripts/test-pythons",), ("python", "benchmarks/foreign_suites.py"))
"""Other Pythons, and other people's test suites."""


def main(kind: str) -> int:
    """Run a kind of gate and return the exit status."""
    began = time.monotonic()
    if kind == "quick":
        done, flaky = [*checks((*OF_PYTHON, *linters())), *map(run, quick_stages())], []
    else:
        stages = {"gate": GATE, "all": ALL}[kind]
        done = [*checks((*OF_PYTHON, COLLECTED, *linters(), DOCUMENTS))]
        done += [set_up_all()] if kind == "all" else ()
        done += map(run, stages)
        flaky = second_tries(stages, done)
        done += checks(OF_OTHERS) if kind == "all" else ()
    for each in done:
        say(f"{each.seconds:.0f} s: {each.name}")
    say(f"{time.monotonic() - began:.0f} s: all")
    return verdict(done, flaky)


def set_up_all() -> Done:
    """Set up what the tests marked ``extended`` talk to, if that can be had; it says itself what it does."""
    began = time.monotonic()
    status = subprocess.run([SET_UP_OF_ALL], cwd=ROOT, check=False).returncode
    failures = (Failure(SET_UP_OF_ALL, f"it ended with status {status}"),) if status else ()
    return Done(SET_UP_OF_ALL, time.monotonic() - began, failures=failures)


def quick_stages() -> tuple[Stage, ...]:
    """Return the stage of what changed, and none where no test is about it."""
    chosen = tests_of_change()
    arguments = (f"--start-within={QUICK_SECONDS}", f"--timeout={QUICK_TEST_SECONDS}", *chosen)
    stage = Stage("what changed", GATE[0].marked, 2, NO_JAVA, arguments, may_be_empty=True)
    return (stage,) if chosen else ()


def verdict(done: Sequence[Done], flaky: Sequence[Failure]) -> int:
    """List what is wrong, count it in the last line, and return the exit status."""
    wrong = [failure for each in done for failure in each.failures if failure not in flaky]
    for title, failures in (("FLAKY", flaky), ("FAILED", wrong)):
        for failure in failures:
            print(f"{title} {failure.what}\n{textwrap.indent(failure.why, '    ')}")
    flakes = len({file_and_why(failure) if failure.when == "setup" else failure.what for failure in flaky})
    if flakes > MOST_FLAKES:
        print(f"FAILED: {flakes} tests are flaky; at most {MOST_FLAKES} may be")
    passed = sum(each.passed for each in done) + len(flaky)
    print(f"{passed} passed, {len(wrong)} failed, {len(flaky)} flaky", flush=True)
    return int(bool(wrong) or flakes > MOST_FLAKES)


def file_and_why(failure: Failure) -> str:
    """Return what the failures of all tests have in common for which one thing could not be set up."""
    return f"{failure.what.partition('::')[0]}: {failure.why}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
