"""The loaded application as a process, and what it did: by its own word, or by what it left when it was killed."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agent_process import AgentProcess
from journal_reader import Journal


@dataclass
class Truth:
    """What one process did: its events, and the counts of its sockets as far as they are told."""

    process: str
    events: int
    counts: dict[str, dict[str, int]]


class Application:
    """A loaded application, as a process."""

    def __init__(self, agent: AgentProcess) -> None:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
        self._journal = agent.journal
        before = set(agent.journal.glob("*.lock"))
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("loaded_app.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "HOPWATCH_DIR": str(agent.journal), "HOPWATCH_HOST": "web-1"},
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "running\n"
        (lock,) = set(agent.journal.glob("*.lock")) - before
        self.process = lock.stem

    def end(self) -> Truth:
        """Ends it in order; it says itself what it did."""
        out, _ = self._process.communicate(timeout=60)
        told = json.loads(out)
        counts = {
            socket: {"sent": sent, "received": received}
            for socket, (sent, received) in told["counts"].items()
        }
        return Truth(told["process"], told["events"], counts)

    def kill(self, folder: Path) -> Truth:
        """SIGKILL, while no agent takes anything away; what it left in its journal is the truth. ``folder`` is for a copy."""
        self.reap()
        folder.mkdir()
        for path in self._journal.glob(f"{self.process}.*"):
            shutil.copy(path, folder / path.name)
        left = Journal(folder)
        counts = {
            socket: {name: count for name, count in words.items() if name != "socket"}
            for socket, words in left.sockets().items()
        }
        return Truth(self.process, max(event["n"] for event in left.events()), counts)

    def reap(self) -> None:
        """Ends it whatever state it is in."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()
