"""What the repository's documents name of ``hopwatch`` is there: commands and flags, as its own help has them; and the README's program runs."""

import re
import subprocess
import sys
from functools import cache

import pytest
from documents import DOCS, REPOSITORY, blocks_in
from preloaded import HOPWATCH, run_to_end

DOCUMENTS = [
    *(
        REPOSITORY / part / "README.md"
        for part in (".", "agent", "analysis", "console", "helm/hopwatch", "injector", "benchmarks")
    ),
    *sorted(DOCS.rglob("*.md")),
]
_COMMAND = re.compile(r"(?:^ {4}|^\$ |`)(?:\w+=\S+ )*hopwatch ([a-z]+)([^`\n#|]*)", re.MULTILINE)
_BEFORE_A_PROGRAM = re.compile(r"(?: --[a-z-]+ \S+)*")
_FLAG = re.compile(r"(?<!\S)--[a-z][a-z-]*")


def named() -> dict[str, set[tuple[str, str]]]:
    """Each command that is named, with each of its flags and where that is."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path in DOCUMENTS:
        for command, rest in _COMMAND.findall(path.read_text()):
            own = _BEFORE_A_PROGRAM.match(rest)[0] if command == "run" else rest  # type: ignore[index]
            flags = {(flag, path.name) for flag in _FLAG.findall(own)}
            found.setdefault(command, set()).update(flags)
    return found


@cache
def help_of(*command: str) -> str:
    done = run_to_end([HOPWATCH, *command, "--help"])
    assert done.returncode == 0
    return done.stdout


def test_every_command_that_is_named_is_there() -> None:
    told = set(re.findall(r"^    ([a-z]+)(?: |$)", help_of(), re.MULTILINE))
    assert {"agent", "analyze", "run"} <= set(named())
    assert set(named()) - told == set()


@pytest.mark.parametrize("command", sorted(named()))
def test_every_flag_that_is_named_is_one_of_its_command(command: str) -> None:
    told = set(_FLAG.findall(help_of(command).replace("[", " ").replace(",", " ")))
    assert {(flag, where) for flag, where in named()[command] if flag not in told} == set()


def test_the_program_in_the_readme_runs() -> None:
    text = (REPOSITORY / "README.md").read_text()
    (program,) = [block.text for block in blocks_in(text, "README.md") if block.language == "python"]
    free = program.replace("tcp://*:5556", "tcp://127.0.0.1:*")
    done = subprocess.run([sys.executable, "-c", free], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
