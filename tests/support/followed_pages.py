"""A document, followed as a reader would: its files written, its commands typed, what they say held against what it says that they say."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from documents import Block
from reader_terminals import DEADLINE, Terminal, TerminalError

SHELL = ("console", "bash")
CTRL_C = "^C"
LEFT_OUT = "..."
ANALYZE = "hopwatch analyze "
ASKS = ("hopwatch status", "curl ")
ENDED_BY_CTRL_C = (0, 130)


@dataclass(frozen=True)
class Step:
    """A command, or Ctrl-C, or nothing more than what is said by then, in a terminal; ``runs_on``: it is not waited for."""

    block: Block
    command: str | None
    said: tuple[str, ...]
    runs_on: bool = False

    @property
    def is_told_later(self) -> bool:
        """Whether it is an analysis, which is made for all pages at once."""
        return self.command is not None and self.command.startswith(ANALYZE)

    @property
    def only_asks(self) -> bool:
        """Whether it changes nothing, so that it can be asked again."""
        return self.command is not None and self.command.startswith(ASKS)


@dataclass
class Followed:
    """What is to be held against the analysis of all pages: of one page, what had landed, and what it says that is told of it."""

    folders: list[Path] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    told: list[tuple[Step, str]] = field(default_factory=list)
    """What the commands said that have ended."""


def steps_of(block: Block) -> list[Step]:
    """The commands of a block, each with the lines behind it."""
    steps: list[Step] = []
    for line in block.text.splitlines():
        if block.language == "bash":
            steps.append(Step(block, line, ()))
        elif line == CTRL_C:
            steps.append(Step(block, CTRL_C, ()))
        elif line.startswith("$ "):
            steps.append(Step(block, line[2:], ()))
        elif line.startswith("> ") and steps and steps[-1].command is not None:
            last = steps.pop()
            steps.append(Step(block, f"{last.command}\n{line[2:]}", ()))
        else:
            last = steps.pop() if steps else Step(block, None, ())
            steps.append(Step(block, last.command, (*last.said, line)))
    return steps


def all_steps(blocks: Sequence[Block]) -> list[Step]:
    """Of all blocks in order; each knows whether what comes next in its terminal still is of its command."""
    steps = [
        step for block in blocks if block.language in SHELL and not block.not_run for step in steps_of(block)
    ]
    known: list[Step] = []
    for at, step in enumerate(steps):
        later = next((s for s in steps[at + 1 :] if s.block.title == step.block.title), None)
        runs_on = later is not None and later.command in (None, CTRL_C)
        known.append(Step(step.block, step.command, step.said, runs_on))
    return known


TerminalOf = Callable[[str], Terminal]
"""The terminal of that title."""


def follow(
    page: Sequence[Block], folder: Path, environment: Mapping[str, str], before: Sequence[str]
) -> Followed:
    """Do all that a page says, in a fresh folder. Raises AssertionError where it is not as the page says."""
    followed = Followed()
    blocks = [block for block in page if not block.not_run]
    steps = all_steps(blocks)
    with ExitStack() as stack:
        terminals: dict[str, Terminal] = {}

        def terminal_of(title: str) -> Terminal:
            if title not in terminals:
                terminals[title] = Terminal(folder, environment, before)
                stack.callback(terminals[title].close)
            return terminals[title]

        for block in blocks:
            _begin(block, folder, terminal_of)
            for step in (step for step in steps if step.block == block):
                _take(step, folder, terminal_of, followed)
    return followed


def _begin(block: Block, folder: Path, terminal_of: TerminalOf) -> None:
    """A file is written; a program without a title is run."""
    if block.title and block.language not in SHELL:
        _write(block, folder)
    elif block.language == "python":
        _run_python(block, folder, terminal_of(""))


def _write(block: Block, folder: Path) -> None:
    path = folder / block.title
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text)


def _run_python(block: Block, folder: Path, terminal: Terminal) -> None:
    program = folder / f"block-{block.line}.py"
    program.write_text(block.text)
    terminal.begin(f"python {program.name}")
    assert terminal.wait() == 0, f"{block.place}:\n{terminal.told}"


def _take(step: Step, folder: Path, terminal_of: TerminalOf, followed: Followed) -> None:
    terminal = terminal_of(step.block.title)
    if step.is_told_later:
        assert step.command is not None
        followed.folders.append(folder / step.command.split()[2])
        followed.steps.append(step)
        return
    if step.command == CTRL_C:
        terminal.interrupt()
    elif step.command is not None:
        terminal.begin(step.command)
    try:
        if step.runs_on:
            _await_said(step, terminal)
            return
        status = terminal.wait()
    except TerminalError as error:
        raise AssertionError(f"{step.block.place}: {step.command}: {error}") from error
    fine = ENDED_BY_CTRL_C if step.command == CTRL_C else (0,)
    assert status in fine, f"{step.block.place}: {step.command} ended with {status}:\n{terminal.told}"
    if step.only_asks:
        _ask_until_said(step, terminal)
    assert says(terminal.told, step), _differs(step, terminal.told)
    followed.told.append((step, terminal.told))


def _ask_until_said(step: Step, terminal: Terminal) -> None:
    """An agent hears of what has just happened a moment later: who reads its answer at once asks again."""
    assert step.command is not None
    deadline = time.monotonic() + DEADLINE
    while not says(terminal.told, step) and time.monotonic() < deadline:
        terminal.begin(step.command)
        terminal.wait()


def _await_said(step: Step, terminal: Terminal) -> None:
    deadline = time.monotonic() + DEADLINE
    while not says(terminal.told, step):
        if terminal.status is not None or time.monotonic() > deadline:
            raise AssertionError(_differs(step, terminal.told))
        time.sleep(0.02)


def says(told: str, step: Step) -> bool:
    """Whether what was said has, in order, what the page says; how lines are wrapped does not matter."""
    told = _plain(told, step)
    at = 0
    for piece in _plain("\n".join(step.said), step).split(LEFT_OUT):
        found = told.find(piece.strip(), at)
        if found < 0:
            return False
        at = found + len(piece.strip())
    return True


def _plain(text: str, step: Step) -> str:
    if step.block.figures_differ:
        text = re.sub(r"\d[\d,]*(\.\d+)?", "0", text)
    return " ".join(text.split())


def _differs(step: Step, told: str) -> str:
    said = "\n".join(step.said)
    return f"{step.block.place}: {step.command}\n--- the page says:\n{said}\n--- it says:\n{told}"
