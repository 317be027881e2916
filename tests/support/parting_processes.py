"""A publisher and its subscribers, each a process that goes as it is told, for as long as a block runs."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hosts import environment_of
from programs import Program

SCRIPT = Path(__file__).with_name("parting_program.py")


@dataclass(frozen=True)
class Parting:
    """``programs``: by name."""

    journal: Path
    programs: dict[str, Program] = field(default_factory=dict)

    def start(self, name: str, *arguments: str) -> Program:
        """The publisher is called ``source``; for arguments see the program."""
        stderr = self.journal.parent / f"{name}.stderr"
        argv = [sys.executable, str(SCRIPT), name, *arguments]
        self.programs[name] = Program(argv, environment_of("web-1", self.journal), stderr)
        return self.programs[name]


@contextmanager
def parting_processes(journal: Path) -> Iterator[Parting]:
    """Those that have not ended are killed at the end."""
    parting = Parting(journal)
    try:
        yield parting
    finally:
        for program in parting.programs.values():
            program.reap()
