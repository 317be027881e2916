"""A stage: one run of pytest, and what its tests came to."""

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from outcome import Done, Failure, say
from run_environment import ROOT, environment

LOGS = Path(".tools", "gate")
"""What each stage's tests did, and how long they took: a file of pytest-reportlog a stage."""
NO_TEST_IS_LEFT = 5
"""The status with which pytest ends where ``-m`` leaves none of the tests that it found."""
STAGE_SECONDS = 2 * 3600


@dataclass(frozen=True)
class Stage:
    """One run of pytest: the tests that ``marked`` selects, shared by ``workers`` processes."""

    name: str
    marked: str
    workers: int
    environment: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    folder: Path = ROOT
    may_be_empty: bool = False


def run(stage: Stage) -> Done:
    """Run a stage; pytest prints each failure when it happens."""
    say(f"stage: {stage.name}")
    began = time.monotonic()
    log = stage.folder / LOGS / f"{stage.name.replace(' ', '-')}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    command = [
        *("pytest", f"--numprocesses={stage.workers}", "--dist=loadfile", "--no-loadscope-reorder"),
        *("-m", stage.marked, "--continue-on-collection-errors", "--instafail", "--durations=25"),
        *(f"--report-log={log}", *stage.arguments),
    ]
    status = run_within(STAGE_SECONDS, command, stage)
    passed, failures = outcomes(log)
    right = (0, 1, NO_TEST_IS_LEFT) if stage.may_be_empty else (0, 1)
    if status not in right or (status == 1 and not failures):
        why = (
            f"it had not ended after {STAGE_SECONDS} s"
            if status is None
            else f"pytest ended with status {status}"
        )
        failures = (*failures, Failure(f"stage {stage.name}", why))
    return Done(stage.name, time.monotonic() - began, passed, failures)


def run_within(seconds: float, command: Sequence[str], stage: Stage) -> int | None:
    """Run a command of a stage and return its exit status: None where it had to be ended."""
    try:
        return subprocess.run(
            command, cwd=stage.folder, env=environment(stage.environment), check=False, timeout=seconds
        ).returncode
    except subprocess.TimeoutExpired:
        return None


def outcomes(log: Path) -> tuple[int, tuple[Failure, ...]]:
    """Return how many tests passed, and the failures in the order in which they came, from a file of pytest-reportlog."""
    passed: set[str] = set()
    failures: dict[str, Failure] = {}
    lines = log.read_text().splitlines() if log.exists() else []
    for report in map(json.loads, lines):
        node = report.get("nodeid")
        if report.get("outcome") == "failed":
            failure = Failure(node, reason(report["longrepr"]), report.get("when") or "")
            failures.setdefault(node, failure)
        elif report.get("outcome") == "passed" and report.get("when") == "call":
            passed.add(node)
    return len(passed - failures.keys()), tuple(failures.values())


def reason(longrepr: object) -> str:
    """Return what a report of pytest says of a failure, without the source around it."""
    if isinstance(longrepr, dict):
        crash = longrepr.get("reprcrash") or {}
        return f"{crash.get('path')}:{crash.get('lineno')}: {crash.get('message')}"
    return str(longrepr)
