"""``hopwatch`` as a process of its own that has no modules left to load.

Loading them takes a core for a second, and tests start it a thousand times. Here a server that has loaded them once forks a process for each
start. That process is a child of the test's own, with the arguments, environment, folder and streams that it was started with: it is signalled,
killed and waited for like any other. Where a difference could show, `start` takes a whole new Python: behind another program (``setsid``,
``prlimit``), and where the environment asks for a different Python. Two things are left: /proc says another command of it, and it ends without freeing its modules.
"""

import functools
import json
import os
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from preloaded_server import LARGEST_REQUEST, SET_CHILD_SUBREAPER, prctl

HOPWATCH = Path(sysconfig.get_path("scripts")) / "hopwatch"
SERVER = Path(__file__).with_name("preloaded_server.py")
READ_BY_PYTHON = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "MALLOC_", "GLIBC_")
"""Variables that Python and the libraries below it read when they start begin so."""


def start(command: Sequence[str | Path], env: Mapping[str, str], **streams: Any) -> "subprocess.Popen[str]":
    """Start a command, from what is loaded if it is ``hopwatch``; the streams are those of subprocess.Popen."""
    kind = Preloaded if is_preloaded(command, env) else subprocess.Popen
    return kind([str(each) for each in command], env=env, text=True, **streams)


def run_to_end(
    command: Sequence[str | Path], env: Mapping[str, str] = os.environ
) -> "subprocess.CompletedProcess[str]":
    """Run a command with no input, and return what it printed and its status."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(command, env, **streams) as process:
        printed, errors = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, printed, errors)


def start_on_terminal(
    command: Sequence[str | Path], env: Mapping[str, str], terminal: int
) -> "subprocess.Popen[str]":
    """Start a command that leads a session of its own on a terminal."""
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    if is_preloaded(command, env):
        return start(command, env, start_new_session=True, **streams)
    return start(["setsid", "--ctty", *command], env, **streams)  # without a fork: it leads no group yet


def is_preloaded(command: Sequence[str | Path], env: Mapping[str, str]) -> bool:
    """Tell whether it is ``hopwatch``, in a Python that starts with these variables as this one did."""
    return str(command[0]) == str(HOPWATCH) and read_by_python(env) == read_by_python(os.environ)


def read_by_python(variables: Mapping[str, str]) -> dict[str, str]:
    """Return those of these variables by which Python begins otherwise."""
    return {name: value for name, value in variables.items() if name.startswith(READ_BY_PYTHON)}


class Preloaded(subprocess.Popen[str]):
    """A process that the server forked. Only how it comes to be differs: the method below is the one in which Popen forks and executes."""

    def _execute_child(self, args: Sequence[str], *rest: Any) -> None:
        cwd, env, pipes, new_session = rest[4], rest[5], rest[9:15], rest[20]
        read_by_child, _, _, written_by_child, _, errors_of_child = pipes
        of_child = (read_by_child, written_by_child, errors_of_child)
        try:
            streams = [number if given == -1 else given for number, given in enumerate(of_child)]
            self.pid = server().fork([args, str(cwd or Path.cwd()), dict(env), new_session], streams)
            self._child_created = True
        finally:
            self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]


class Server:
    """The process that has everything loaded."""

    def __init__(self) -> None:
        self._door, door = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._one_at_a_time = threading.Lock()
        with door:
            self._process = subprocess.Popen(
                [sys.executable, str(SERVER), str(door.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[door.fileno()],
            )

    def fork(self, what: Sequence[Any], streams: list[int]) -> int:
        """Have a process forked that becomes what is asked for; return its id. Its parent ends at once, and hands it on to this process."""
        request = json.dumps(what).encode()
        with self._one_at_a_time:
            prctl(SET_CHILD_SUBREAPER, 1)
            try:
                socket.send_fds(self._door, [request], streams)
                answer = self._door.recv(LARGEST_REQUEST)
            finally:
                prctl(SET_CHILD_SUBREAPER, 0)
        assert answer, f"the server has ended, status {self._process.wait()}"
        return int(answer)


@functools.cache
def server() -> Server:
    """Start the server of this process; it ends with it."""
    return Server()
