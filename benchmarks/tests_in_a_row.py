"""Runs a folder of tests again and again, and tells of each run whether it was whole and all right.

    python benchmarks/tests_in_a_row.py --runs 20 [--of tests/scenarios] [PYTEST ARGUMENTS ...]

A run is one of continuous integration's: two processes share the files. Of scenarios on real sockets they play theirs one after the other, and have one analysis each judge them.
"""

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
PYTEST = (sys.executable, "-m", "pytest", "-v", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder", "--tb=short")  # fmt: skip
OUTCOME = re.compile(r"^\[gw\d+\].* (PASSED|FAILED|ERROR|SKIPPED) (.+)$")

Outcome = tuple[int, str, str]
"""The number of the run, the test, and what came of it."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--of", type=Path, default=ROOT / "tests" / "scenarios", help="what to run (default: the scenarios)"
    )
    args, more = parser.parse_known_args()
    found: set[Outcome] = set()
    statuses = []
    began = time.monotonic()
    for number in range(1, args.runs + 1):
        of_run, status = run(number, args.of.resolve(), more)
        found |= of_run
        statuses.append(status)
        print(f"{time.monotonic() - began:.0f} s: run {number}: {in_words(of_run)}", flush=True)
    return summary(found, statuses, time.monotonic() - began)


def run(number: int, folder: Path, arguments: Sequence[str]) -> tuple[set[Outcome], int]:
    """What came of each test, and the status that pytest ended with; what it says of failures is passed on."""
    command = [*PYTEST, str(folder), *arguments]
    found: set[Outcome] = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as pytest:
        assert pytest.stdout is not None
        for line in pytest.stdout:
            outcome = outcome_of(number, line)
            if outcome is not None:
                found.add(outcome)
            elif line.startswith(("E ", "FAILED", "ERROR")):
                print(line.rstrip(), flush=True)
    return found, pytest.returncode


def outcome_of(number: int, line: str) -> Outcome | None:
    """What a line of pytest's tells of a test of that run."""
    told = OUTCOME.search(line.rstrip())
    return None if told is None else (number, told[2], told[1])


def summary(found: Collection[Outcome], statuses: Sequence[int], seconds: float) -> int:
    """Print how each run went; the exit status, that of success only if each run was whole and all of it passed."""
    tests = {test for _, test, _ in found}
    right = 0
    for number, status in enumerate(statuses, start=1):
        of_run = {outcome for outcome in found if outcome[0] == number}
        wrong = wrong_in(of_run, tests, status)
        right += bool(tests) and not wrong
        print("; ".join((f"run {number}: {in_words(of_run)}", *wrong)))
    print(f"{right} of {len(statuses)} runs were right ({seconds:.0f} s)")
    return 0 if right == len(statuses) else 1


def wrong_in(of_run: Collection[Outcome], tests: Collection[str], status: int) -> list[str]:
    """What kept a run from being whole and right: ``tests`` are those of any run, ``status`` is pytest's."""
    missing = sorted({*tests} - {test for _, test, _ in of_run})
    other = sorted(f"{what.lower()}: {test}" for _, test, what in of_run if what != "PASSED")
    if missing:
        other.append(f"missing: {', '.join(missing)}")
    if status:
        other.append(f"pytest ended with status {status}")
    return other


def in_words(found: Collection[Outcome]) -> str:
    counts = Counter(what for _, _, what in found)
    return ", ".join(f"{count} {what.lower()}" for what, count in sorted(counts.items())) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
