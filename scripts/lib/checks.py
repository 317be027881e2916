"""The checks of the sources: format, lint, types, layers, shell scripts, container files and documents."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from outcome import Done, Failure, say
from run_environment import ROOT, environment

COLLECTED = ("pytest", "--collect-only", "-qq", "--no-header")
"""Each process of a stage would compile the tests of a fresh clone anew, which takes one ten seconds."""
DOCUMENTS = ("mkdocs", "build", "--strict", "--quiet")
OF_PYTHON = (("mypy",), ("ruff", "format", "--check", "."), ("ruff", "check", "."), ("lint-imports",))
LINTED_SHELL = ("scripts/**/*", ".ci/*", "images/*", "tests/**/*.sh")
CONTAINERFILES = ("images/Containerfile", "tests/pods/Containerfile")


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
