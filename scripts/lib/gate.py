"""Run the checks and the stages of tests, try once more what failed, and say at the end what is wrong.

    python scripts/lib/gate.py gate     # every check, and the tests that only a fault turns red
    python scripts/lib/gate.py all      # these and the tests marked ``extended``
    python scripts/lib/gate.py quick    # the checks, and the tests of what changed, for as long as two minutes allow

Nothing ends a run early: one run shows all that is wrong. The exit status is 0 if all is right, else 1.
"""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from quick import tests_of_change

ROOT = Path(__file__).parents[2]
LOGS = Path(".tools", "gate")
"""What each stage's tests did, and how long they took: a file of pytest-reportlog a stage."""
MOST_FLAKES = 2
"""More tests than this that pass at the second try only turn the run red."""
MOST_SECOND_TRIES = 10
"""Where more tests fail than this, chance is not the reason, and none is run again."""
JUDGED_FROM_FILES = "tests/recorded/"
"""What is said of the same files does not hang on chance: no test of these is run again."""
NO_TEST_IS_LEFT = 5
"""The status with which pytest ends where ``-m`` leaves none of the tests that it found."""
NO_JAVA = {"JAVA_HOME": "/no-java-in-this-stage"}
"""Spark looks here first: a test that needs Spark and is not marked so fails in the first stage."""
OF_SPARK = ("tests/analysis", "tests/recorded", "tests/scenarios")
"""Folders of the gate's tests of Spark: to look through all others takes each process longer than an analysis."""
QUICK_SECONDS = 60
"""After so long no further test of a quick run begins."""
COLLECTED = ("pytest", "--collect-only", "-qq", "--no-header")
"""Each process of a stage would compile the tests of a fresh clone anew, which takes one ten seconds."""
DOCUMENTS = ("mkdocs", "build", "--strict", "--quiet")
OF_PYTHON = (("mypy",), ("ruff", "format", "--check", "."), ("ruff", "check", "."), ("lint-imports",))
LINTED_SHELL = ("scripts/**/*", ".ci/*", "images/*", "tests/**/*.sh")
STEERING = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "SHELLCHECK_OPTS",
    "HYPOTHESIS_PROFILE",
    "SCENARIO_BARE",
    "LC_ALL",
)
"""What somebody may have set for other runs, and what would leave checks out of this one."""
STAGE_SECONDS = 2 * 3600
SECOND_TRY_SECONDS = 1800
CONTAINERFILES = ("images/Containerfile", "tests/pods/Containerfile")


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


@dataclass(frozen=True)
class Failure:
    """A check or a test that failed, with the lines that say why."""

    what: str
    why: str
    when: str = ""
    """Of a test: ``setup``, ``call`` or ``teardown``. Both others than the call may be of what tests of a file share."""


@dataclass(frozen=True)
class Done:
    """What came of a check or a stage."""

    name: str
    seconds: float
    passed: int = 0
    failures: tuple[Failure, ...] = ()


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

OF_OTHERS = (("scripts/test-pythons",), ("python", "benchmarks/foreign_suites.py"))
"""Other Pythons, and other people's test suites."""


def main(kind: str) -> int:
    """Run a kind of gate and return the exit status."""
    began = time.monotonic()
    if kind == "quick":
        done, flaky = [*checks((*OF_PYTHON, *linters())), *map(run, quick_stages())], []
    else:
        stages = {"gate": GATE, "all": ALL}[kind]
        done = [*checks((*OF_PYTHON, COLLECTED, *linters(), DOCUMENTS)), *map(run, stages)]
        flaky = second_tries(stages, done)
        done += checks(OF_OTHERS) if kind == "all" else ()
    for each in done:
        say(f"{each.seconds:.0f} s: {each.name}")
    say(f"{time.monotonic() - began:.0f} s: all")
    return verdict(done, flaky)


def quick_stages() -> tuple[Stage, ...]:
    """Return the stage of what changed, and none where no test is about it."""
    chosen = tests_of_change()
    arguments = (f"--start-within={QUICK_SECONDS}", *chosen)
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


def linters() -> Iterator[tuple[str, ...]]:
    """Yield the checks of what is not Python."""
    shell = [str(path) for path in sources(LINTED_SHELL) if is_shell(path)]
    yield ("shellcheck", "--external-sources", *shell)
    yield ("hadolint", *CONTAINERFILES)


def checks(commands: Sequence[Sequence[str]]) -> Iterator[Done]:
    """Run what looks at the sources alone, two at a time, and print what came of each when it has ended."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        yield from pool.map(check, commands)


def check(command: Sequence[str]) -> Done:
    """Run one check."""
    name = " ".join(command[:2])
    began = time.monotonic()
    if shutil.which(command[0], path=environment({})["PATH"]) is None and not os.environ.get(
        "HOPWATCH_TESTS_MUST_RUN"
    ):
        say(f"{name}: left out, since {command[0]} is not installed")
        return Done(name, 0)
    if shutil.which(command[0], path=environment({})["PATH"]) is None:
        return Done(name, 0, failures=(Failure(name, f"{command[0]} is not installed"),))
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env=environment({"NO_MKDOCS_2_WARNING": "1"}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    said = f"{name}: {'passed' if ended.returncode == 0 else f'FAILED, status {ended.returncode}'}"
    say(said if ended.returncode == 0 else f"{said}\n{ended.stdout}")
    failures = () if ended.returncode == 0 else (Failure(name, ended.stdout.strip()),)
    return Done(name, time.monotonic() - began, failures=failures)


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


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return what a command runs with, the same language on any machine: the programs beside this interpreter come first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    inherited = {name: value for name, value in os.environ.items() if name not in STEERING}
    return {**inherited, "PATH": path, "LANG": "C.UTF-8", **more}


def sources(patterns: Sequence[str]) -> list[Path]:
    """Return the files that match one of the patterns, as paths from the root."""
    return sorted(path.relative_to(ROOT) for each in patterns for path in ROOT.glob(each) if path.is_file())


def is_shell(path: Path) -> bool:
    """Tell a shell script by its first line."""
    first = (ROOT / path).read_bytes().partition(b"\n")[0]
    return (
        first.startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash"))
        or b"shellcheck shell=" in first
    )


def say(text: str) -> None:
    """Print a line about the run itself."""
    print(f"test: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
