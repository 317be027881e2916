"""The Java process that Spark runs in: ours from its start to its end, so that none outlives the command."""

import os
import shlex
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO

from hopwatch_analysis.errors import AnalysisError

PORT, SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
HARMLESS = ("WARNING: Using incubator modules: jdk.incubator.vector",)
SECONDS_TO_LEAVE = 10.0
SECONDS_TO_DIE = 4.0

Hold = Callable[[], AbstractContextManager[None]]


class Jvm:
    """Spark's Java process, in a process group of its own: Ctrl-C in the terminal does not reach it.

    ``hold`` keeps a signal from coming between the start of the process and the moment it is known here.
    """

    def __init__(self, hold: Hold = nullcontext) -> None:
        self._hold = hold
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._quiet = False

    @contextmanager
    def serving(self, settings: Mapping[str, str]) -> Iterator[None]:
        """A Java process with these Spark settings, that pyspark finds by itself; gone afterwards.

        Raises AnalysisError if it cannot be started. Where pyspark was itself started by spark-submit,
        that one's process serves.
        """
        if started_by_spark_submit():
            yield
            return
        try:
            port, secret = self._start(settings)
            os.environ |= {PORT: str(port), SECRET: secret}
            yield
        finally:
            os.environ.pop(PORT, None)
            os.environ.pop(SECRET, None)
            self._leave()

    def kill(self) -> None:
        """End the process at once, if there is one, and what it has begun."""
        self._quiet = True
        if self._process is not None:
            self._signal(signal.SIGTERM)  # lets Spark remove its scratch folders
            if not _reaped(self._process.pid, SECONDS_TO_DIE):
                self._signal(signal.SIGKILL)
                _reaped(self._process.pid, SECONDS_TO_DIE)
        if self._folder is not None:
            self._folder.cleanup()

    def _start(self, settings: Mapping[str, str]) -> tuple[int, str]:
        with self._hold():
            self._folder = TemporaryDirectory(prefix="hopwatch-spark-")
            address = Path(self._folder.name) / "address"
            self._process = _launch(settings, address)
        if self._process.stdout is not None:
            Thread(target=self._pass_on, args=(self._process.stdout,), daemon=True).start()
        while not address.exists():
            status = self._process.poll()
            if status is not None:
                raise AnalysisError(
                    f"Spark did not start (status {status}): it needs a Java runtime, 17 or newer, "
                    "in PATH or by JAVA_HOME"
                )
            time.sleep(0.02)
        raw = address.read_bytes()
        port, length = struct.unpack_from(">ii", raw)
        return port, raw[8 : 8 + length].decode()

    def _leave(self) -> None:
        """The process ends by itself when its input does."""
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_LEAVE)
        self.kill()
        self._process = self._folder = None

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def _pass_on(self, output: IO[bytes]) -> None:
        for raw in output:
            line = raw.decode(errors="replace")
            if not self._quiet and not line.startswith(HARMLESS):
                sys.stderr.write(line)


def started_by_spark_submit() -> bool:
    """Whether a Java process that belongs to spark-submit serves this one."""
    return PORT in os.environ


def _launch(settings: Mapping[str, str], address: Path) -> subprocess.Popen[bytes]:
    """Start spark-submit as pyspark does; it writes its port and secret to ``address``."""
    from pyspark.find_spark_home import _find_spark_home

    command = [str(Path(_find_spark_home()) / "bin" / "spark-submit")]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    command += shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))
    return subprocess.Popen(
        command,
        env=os.environ | {"SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(address)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _reaped(pid: int, seconds: float) -> bool:
    """Whether the child is gone in time. Popen's own waiting takes a lock that the interrupted code may hold."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.02)
    return False
