"""A "host" of a scenario: a journal directory and the agent beside it, as one machine would have them."""

import os
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from programs import Program

STOP_SECONDS = 80.0
HOPWATCH = Path(sysconfig.get_path("scripts")) / "hopwatch"


def environment_of(host: str, journal: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a program on a host, with nothing of the test's own HOPWATCH_* settings."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("HOPWATCH_")}
    return {**inherited, "HOPWATCH_DIR": str(journal), "HOPWATCH_HOST": host, **(extra or {})}


class Host:
    """Starts its agent at once, unless the run is bare. ``inside``: what to put before a command that is to run on it."""

    def __init__(self, name: str, folder: Path, *, with_agent: bool, inside: Sequence[str] = ()) -> None:
        self.name = name
        self.folder = folder
        self.inside = inside
        self.journal = folder / "journal"
        self.landed = folder / "landed"
        folder.mkdir(parents=True)
        self.environment = environment_of(name, self.journal)
        self.agent = self._start_agent() if with_agent else None

    def _start_agent(self) -> Program:
        argv = [
            *self.inside,
            str(HOPWATCH),
            "agent",
            "--dir",
            str(self.journal),
            "--data",
            str(self.folder / "data"),
        ]
        argv += ["--land", str(self.landed), "--listen", "127.0.0.1:0"]
        # all is to be landed at its end, however busy the machine's disk is
        argv += ["--stop-seconds", str(STOP_SECONDS)]
        return Program(argv, self.environment, self.folder / "agent.stderr")

    @cached_property
    def url(self) -> str:
        """The URL of the agent's API, once it serves."""
        assert self.agent is not None
        return self.agent.expect("hopwatch")[-1]

    def stop_agent(self) -> None:
        """SIGTERM to an agent that is up; it must land everything and end cleanly."""
        if self.agent is not None and self.url:
            self.agent.terminate()

    def start(self, script: Path, *arguments: object, stderr_path: Path) -> Program:
        argv = [*self.inside, sys.executable, str(script), *map(str, arguments)]
        return Program(argv, self.environment, stderr_path)
