"""A real agent process, and what has been landed by it."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import plain_http
import pyarrow.parquet as pq
from hopwatch_analysis.files.merged import without_parts
from preloaded import HOPWATCH, start

T = TypeVar("T")


def eventually(condition: Callable[[], T], seconds: float = 60.0) -> T:
    """The first true value of the condition; fails after some seconds."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, "it has not become true in time"
        time.sleep(0.02)


def landed(folder: Path, kind: str) -> list[dict[str, Any]]:
    """Every landed row of a kind, in no order."""
    files = without_parts(map(str, folder.glob(f"kind={kind}/date=*/host=*/*.parquet")))
    # one file at a time: the partition columns of the path are no columns of the file
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


class AgentProcess:
    """`hopwatch agent` on folders of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *arguments: str) -> None:
        self.journal = folder / "journal"
        self.data = folder / "data"
        self.landed = folder / "landed"
        self._land = str(self.landed)
        self._environment = {
            "HOPWATCH_AGENT_LOG_FORMAT": "text",
            "HOPWATCH_AGENT_LOG_LEVEL": "error",
            "HOPWATCH_AGENT_STOP_SECONDS": "80",
            **environment,
            "HOPWATCH_AGENT_LAND_SECONDS": "0.2",
            "HOPWATCH_HOST": "box-1",
        }
        self._arguments = arguments
        self.before: list[str] = []
        """Arguments in front of its command."""
        self.process: subprocess.Popen[str] | None = None
        self.url = ""
        self.token = ""

    def set(self, name: str, value: str) -> None:
        """A variable of its environment, from its next start on."""
        self._environment[name] = value

    def land_at(self, uri: str) -> None:
        """Where it lands from its next start on, in place of ``landed``."""
        self._land = uri

    def start(self, *arguments: str) -> None:
        """Starts it and waits until it serves."""
        self.process = self.launch(*arguments)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("hopwatch agent: http"):
            raise AssertionError(f"{line!r}; {self.process.communicate()[1]}")
        self.url = line.split()[-1]

    def launch(self, *arguments: str) -> "subprocess.Popen[str]":
        """Starts it."""
        folders = ["--dir", str(self.journal), "--data", str(self.data), "--land", self._land]
        return start(
            [
                *self.before,
                str(HOPWATCH),
                "agent",
                *folders,
                "--listen",
                "127.0.0.1:0",
                *self._arguments,
                *arguments,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env=self._environment,
        )

    def get(self, path: str) -> Any:
        """The JSON of an answer with status 200."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        answer = plain_http.get(self.url + path, timeout=60, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def terminate(self) -> tuple[int, str]:
        """SIGTERM; gives the exit status and what was written to standard error."""
        assert self.process is not None
        self.process.terminate()
        _, errors = self.process.communicate(timeout=120)
        return self.process.returncode, errors

    def kill(self) -> str:
        """SIGKILL; gives what it had said on standard output that nobody read."""
        assert self.process is not None
        self.process.kill()
        said, _ = self.process.communicate()
        return said

    def rows(self, kind: str) -> list[dict[str, Any]]:
        """What it has landed."""
        return landed(self.landed, kind)


class WriterProcess:
    """The small journal writer as a process of its own, which writes onsets until it is ended."""

    def __init__(self, journal: Path, *arguments: str) -> None:
        script = Path(__file__).with_name("journal_writer.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(journal), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.socket = self.process.stdout.readline().strip()

    def end(self) -> int:
        """Ends it in order; gives how many onsets it wrote."""
        out, _ = self.process.communicate()
        return int(out)

    def kill(self) -> None:
        """SIGKILL."""
        self.process.kill()
        self.process.communicate()
