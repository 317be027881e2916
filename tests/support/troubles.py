"""Users' programs as their users run them: each bare, and again with one line added, or none where ``hopwatch run`` does it.

What they print is the truth: what was sent, and what was received.
"""

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import plain_http
from hosts import HOPWATCH, Host, environment_of
from programs import DEADLINE
from system import System

PROGRAMS = Path(__file__).parent.parent / "scenarios" / "troubles" / "programs"
MADE = re.compile(r"^( *)(\w+) = \w+\.socket\(.*\)\n", re.MULTILINE)
WRAPPED = r'\g<0>\1hopwatch.wrap(\2, sequence="stamp")' + "\n"
ENDS_WITHIN = 20.0
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"

_numbers = itertools.count()


def with_one_line(source: str) -> str:
    """The program with its socket wrapped, in one line, and the import that this takes."""
    wrapped, sockets = MADE.subn(WRAPPED, source)
    assert sockets == 1, "a program of one socket"
    return wrapped.replace("import zmq\n", "import hopwatch\nimport zmq\n", 1)


def address() -> str:
    """A loopback address that nobody else on this machine has just now, so that programs keep their ports."""
    pid = os.getpid()
    return f"127.{64 + next(_numbers)}.{pid // 256 % 256}.{pid % 256}"


class UserProgram:
    """One process. What it prints goes to a file, as it may print much."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], output: Path) -> None:
        self._output = output
        with output.open("wb") as stdout, output.with_suffix(".stderr").open("wb") as stderr:
            self._process = subprocess.Popen(
                argv,
                env={**environment, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def printed(self) -> str:
        return self._output.read_text(errors="replace")

    def sent(self) -> list[int]:
        return self._numbers("Sent: ")

    def received(self) -> list[int]:
        return self._numbers("Received: Message ")

    def _numbers(self, words: str) -> list[int]:
        # threads print at once: lines of several may run together
        return [int(number) for number in re.findall(rf"{words}(\d+)", self.printed)]

    def await_sent(self, count: int) -> None:
        self._await(lambda: len(self.sent()) >= count, f"sent {count}")

    def await_received(self, count: int) -> None:
        self._await(lambda: len(self.received()) >= count, f"received {count}")

    def await_rest(self, quiet: float = 2.0) -> None:
        """Wait until it has received nothing for a while."""
        deadline = time.monotonic() + DEADLINE
        count, since = len(self.received()), time.monotonic()
        while time.monotonic() - since < quiet:
            assert time.monotonic() < deadline, f"{self._output.stem} goes on receiving"
            time.sleep(0.1)
            if (now := len(self.received())) != count:
                count, since = now, time.monotonic()

    def _await(self, is_so: Callable[[], bool], what: str) -> None:
        eventually(lambda: self.is_over or is_so(), f"{self._output.stem} has not {what}")
        assert is_so(), f"{self._output.stem} ended: {self._output.with_suffix('.stderr').read_text()}"

    @property
    def is_over(self) -> bool:
        return self._process.poll() is not None

    def end(self, by: signal.Signals = signal.SIGINT) -> None:
        """Ctrl-C, or another signal, and wait for its end."""
        self._process.send_signal(by)
        self._process.wait(ENDS_WITHIN)

    def await_end(self) -> int:
        return self._process.wait(DEADLINE)

    def reap(self) -> None:
        if not self.is_over:
            self._process.kill()
            self._process.wait(ENDS_WITHIN)


class Trouble:
    """The programs of one user, played twice: under the eyes of an agent, and bare."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.programs: dict[str, UserProgram] = {}

    def begin_agent(self) -> None:
        """It takes a while to be there: others can be begun meanwhile."""
        self._host("desk")

    def await_agent(self, host: str = "desk") -> None:
        """Wait until it serves: what happens from then on it sees happen."""
        assert self._host(host).url

    def start(
        self, name: str, script: str, *arguments: object, host: str = "desk", inside: Sequence[str] = ()
    ) -> UserProgram:
        """With one line added."""
        source = with_one_line((PROGRAMS / script).read_text())
        path = self.system.folder / f"{name}.py"
        path.write_text(source)
        return self._start(name, [*inside, sys.executable, str(path), *map(str, arguments)], self._host(host))

    def run(self, name: str, script: str, *arguments: object) -> UserProgram:
        """By ``hopwatch run``, with none."""
        run = [str(HOPWATCH), "run", "--sequence", "stamp", "--", sys.executable, str(PROGRAMS / script)]
        return self._start(name, [*run, *map(str, arguments)], self._host("desk"))

    def start_bare(
        self, name: str, script: str, *arguments: object, inside: Sequence[str] = ()
    ) -> UserProgram:
        """As its user wrote it, with nobody watching."""
        argv = [*inside, sys.executable, str(PROGRAMS / script), *map(str, arguments)]
        environment = environment_of("bare", self.system.folder)
        return self._started(argv, environment, f"bare {name}")

    def _start(self, name: str, argv: Sequence[str], host: Host) -> UserProgram:
        environment = {**host.environment, "HOPWATCH_NAME": f"{self.system.mark}{name}"}
        return self._started(argv, environment, name)

    def _started(self, argv: Sequence[str], environment: Mapping[str, str], name: str) -> UserProgram:
        program = UserProgram(argv, environment, self.system.folder / f"{name}.printed")
        self.programs[name] = program
        return program

    def _host(self, name: str) -> Host:
        return self.system.host(name)

    def ask(self, path: str, host: str = "desk") -> list[dict[str, Any]]:
        """What the agent answers, in plain names."""
        at = self.system.host(host)
        text = (
            fetched_within(at, path)
            if at.inside
            else plain_http.get(f"{at.url}{path}", timeout=DEADLINE).text
        )
        found: list[dict[str, Any]] = json.loads(text.replace(self.system.mark, ""))
        return found

    def socket(self, name: str, kind: str, host: str = "desk") -> dict[str, Any] | None:
        """The one of that name and type, once the agent knows it."""
        found = [one for one in self.ask("/v1/sockets", host) if (one["name"], one["type"]) == (name, kind)]
        return found[0] if found else None

    def rules(self, host: str = "desk") -> set[tuple[str, str]]:
        """Findings: type of the socket, and rule."""
        return {(one["type"], one["rule"]) for one in self.ask("/v1/findings", host)}

    def terminal(self, host: str = "desk") -> str:
        """What ``hopwatch status`` prints, in plain names and on one line."""
        at = self.system.host(host)
        status = subprocess.run(
            [*at.inside, str(HOPWATCH), "status", "--agent", at.url],
            env={**environment_of("terminal", self.system.folder), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        return " ".join(status.stdout.replace(self.system.mark, "").split())

    def reap(self) -> None:
        for program in self.programs.values():
            program.reap()
        self.system.reap()


def waiting_on(trouble: Trouble, receiver: str = "subscriber", kind: str = "SUB") -> dict[str, Any] | None:
    """What waits on the connection of a receiver, and where."""
    socket = trouble.socket(receiver, kind)
    if socket is None:
        return None
    found = [
        one["waiting"]
        for one in trouble.ask(f"/v1/connections?socket={socket['id']}")
        if one["waiting"] is not None
    ]
    return found[0] if found else None


def fetched_within(host: Host, path: str) -> str:
    """An answer of an agent that only its own network reaches."""
    return subprocess.run(
        [*host.inside, sys.executable, "-c", FETCH, f"{host.url}{path}"],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=True,
    ).stdout


def eventually(is_so: Callable[[], object], failure: str) -> None:
    """Wait for a condition, with a deadline."""
    deadline = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < deadline, f"{failure} in time"
        time.sleep(0.1)


def missing(sent: Sequence[int], received: Sequence[int]) -> set[int]:
    return set(sent) - set(received)
