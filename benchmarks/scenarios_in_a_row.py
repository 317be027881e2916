"""Runs the scenarios on real sockets again and again, and tells of each run whether all were right.

python benchmarks/scenarios_in_a_row.py --runs 20 [PYTEST ARGUMENTS ...]
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

SCENARIOS = Path(__file__).parent.parent / "tests" / "scenarios"
PYTEST = (sys.executable, "-m", "pytest", "-q", "--numprocesses=2", "--dist=loadfile")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20)
    args, more = parser.parse_known_args()
    wrong = 0
    for number in range(1, args.runs + 1):
        began = time.monotonic()
        status, told, output = run(more)
        wrong += status != 0
        print(f"run {number}: {told} ({time.monotonic() - began:.0f} s)", flush=True)
        if status:
            print(output, flush=True)
    print(f"{args.runs - wrong} of {args.runs} runs were right")
    return 1 if wrong else 0


def run(arguments: Sequence[str]) -> tuple[int, str, str]:
    """One run: pytest's exit status, its summary (of one that failed, also what failed), and all it printed."""
    done = subprocess.run(
        [*PYTEST, str(SCENARIOS), *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=SCENARIOS.parent.parent,
    )
    lines = done.stdout.splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    summary = next(
        (line for line in reversed(lines) if re.search(r"\d+ (passed|failed|error)", line)), "no summary"
    )
    return done.returncode, "; ".join([summary.strip("= "), *failed]), done.stdout


if __name__ == "__main__":
    sys.exit(main())
