"""The scenarios' programs under the eyes of one agent."""

import os
import sys
from pathlib import Path

from agent_process import AgentProcess
from programs import Program
from system import LOOPBACK, PROGRAMS


class Beside:
    """Starts programs, and ends all of them in whatever state they are. ``truth`` is the folder of what they tell."""

    def __init__(self, agent: AgentProcess, folder: Path) -> None:
        self.truth = folder / "truth"
        self.truth.mkdir()
        self._folder = folder
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
        self._environment = {**inherited, "HOPWATCH_DIR": str(agent.journal), "HOPWATCH_HOST": "box-1"}
        self._started: list[Program] = []

    def start(self, script: str, name: str, *arguments: object) -> Program:
        argv = [sys.executable, str(PROGRAMS / f"{script}.py"), "--name", name, "--truth", str(self.truth)]
        stderr = self._folder / f"{name}.stderr"
        self._started.append(Program([*argv, *map(str, arguments)], self._environment, stderr))
        return self._started[-1]

    def lossy_pair(
        self, sender: str, receiver: str, *options: object, paused: bool = False
    ) -> tuple[Program, Program]:
        """A PUB whose SUB is too slow, after 2,000 messages and one behind what was lost.

        ``options`` are the PUB's. With ``paused`` the SUB reads nothing before all are sent: a loss for certain.
        """
        small = ("--sndhwm", 50, "--sndbuf", 4096)
        quotes = self.start("sender", sender, "--type", "PUB", "--bind", LOOPBACK, *small, *options)
        [endpoint] = quotes.expect("ready")
        reading = ("--rcvhwm", 10, "--rcvbuf", 4096, "--delay", 0.004, "--subscribe", "")
        slow = self.start("receiver", receiver, "--type", "SUB", "--connect", endpoint, *reading)
        quotes.ask("await-subscriptions", 2, event="subscribed")
        if paused:
            slow.ask("pause", event="paused")
        for count in (2000, 1):  # only a message behind a gap shows it
            quotes.ask("send", count, 0.0005, event="sent")
            slow.ask("finish", event="finished")
        return quotes, slow

    def reap(self) -> None:
        for program in self._started:
            program.reap()
