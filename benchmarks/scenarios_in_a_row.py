"""Runs the scenarios on real sockets again and again, and tells of each run whether all were right.

python benchmarks/scenarios_in_a_row.py --runs 20 [PYTEST ARGUMENTS ...]

Each of two processes has one Spark session for all that it judges, and takes file after file: all runs of its scenarios, one after the other.
"""

import argparse
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

SCENARIOS = Path(__file__).parent.parent / "tests" / "scenarios"
PYTEST = (sys.executable, "-m", "pytest", "-v", "--numprocesses=2", "--dist=loadfile", "--tb=short")
OUTCOME = re.compile(r"^\[gw\d+\].* (PASSED|FAILED|ERROR|SKIPPED) (.+)$")
RUN = re.compile(r"(\d+)-\d+\]$")
TOLD_EVERY = 60


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    args, more = parser.parse_known_args()
    found: Counter[tuple[int, str]] = Counter()
    began = told = time.monotonic()
    for line in lines_of(args.runs, more):
        outcome = OUTCOME.search(line)
        if outcome is None:
            if line.startswith(("E ", "FAILED", "ERROR", "=")):
                print(line, flush=True)
            continue
        number = RUN.search(outcome[2].strip())
        found[int(number[1]) if number else 1, outcome[1]] += 1
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            print(
                f"{told - began:.0f} s: {in_words(Counter(what for _, what in found.elements()))}", flush=True
            )
    return summary(args.runs, found, time.monotonic() - began)


def lines_of(runs: int, arguments: Sequence[str]) -> Iterator[str]:
    """What pytest prints, as it does."""
    repeated = (f"--count={runs}", "--repeat-scope=session") if runs > 1 else ()
    command = [*PYTEST, *repeated, str(SCENARIOS), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=SCENARIOS.parent.parent) as pytest:
        assert pytest.stdout is not None
        yield from (line.rstrip() for line in pytest.stdout)


def summary(runs: int, found: Counter[tuple[int, str]], seconds: float) -> int:
    """Print how each run went; the exit status."""
    right = 0
    for number in range(1, runs + 1):
        outcomes = Counter({what: count for (run, what), count in found.items() if run == number})
        right += bool(outcomes["PASSED"]) and not outcomes["FAILED"] + outcomes["ERROR"]
        print(f"run {number}: {in_words(outcomes)}")
    print(f"{right} of {runs} runs were right ({seconds:.0f} s)")
    return 0 if right == runs else 1


def in_words(outcomes: Counter[str]) -> str:
    return ", ".join(f"{count} {what.lower()}" for what, count in sorted(outcomes.items())) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
