"""A process that is forked from what is loaded does as one that Python starts anew."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from preloaded import HOPWATCH, is_preloaded, run_to_end, start


def anew(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["no-such-command"],
        ["status", "--agent", "http://127.0.0.1:9"],
        ["agent", "--data", "/proc/none"],
    ],
)
def test_it_prints_the_same_and_ends_so(arguments: list[str]) -> None:
    command = [str(HOPWATCH), *arguments]
    assert is_preloaded(command, os.environ)
    told = [(done.returncode, done.stdout, done.stderr) for done in (anew(command), run_to_end(command))]
    assert told[0] == told[1]


@pytest.mark.parametrize("kind", [subprocess.Popen, start])
def test_it_ends_in_a_status_that_says_so_where_it_cannot_write(
    kind: Callable[..., "subprocess.Popen[str]"],
) -> None:
    command = [str(HOPWATCH), "completion", "bash"]
    with (
        Path("/dev/full").open("w") as full,
        kind(command, env=os.environ, stdout=full, stderr=subprocess.DEVNULL) as process,
    ):
        assert process.wait(60) in (1, 120)  # by whether Python buffers


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGTERM])
def test_it_is_a_child_that_can_be_ended(by: signal.Signals, tmp_path: Path) -> None:
    folders = ["--dir", str(tmp_path / "journal"), "--data", str(tmp_path / "data")]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    with start([HOPWATCH, "agent", *folders, "--listen", "127.0.0.1:0"], os.environ, **streams) as agent:
        assert agent.stdout is not None
        assert agent.stdout.readline().startswith("hopwatch agent: http")
        assert Path(f"/proc/{agent.pid}/cwd").readlink() == tmp_path
        assert Path(f"/proc/{agent.pid}/comm").read_text() == "hopwatch\n"
        agent.send_signal(by)
        assert agent.wait(60) == (-signal.SIGKILL if by == signal.SIGKILL else 0)


def test_another_python_is_started_anew() -> None:
    assert not is_preloaded([str(HOPWATCH)], {**os.environ, "PYTHONUTF8": "0"})
    assert not is_preloaded(["prlimit", "--nofile=20", str(HOPWATCH)], os.environ)
