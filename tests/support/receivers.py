"""Real receivers of telemetry: an OTLP collector, and Prometheus."""

import importlib.util
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from agent_process import eventually
from ports import free_ports


def tool(name: str) -> str:
    """The path of a program that is not Python's; skips the test where there is none."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


class Collector:
    """rotel, which prints all that it gets."""

    def __init__(self, folder: Path, ports: tuple[int, int] | None = None) -> None:
        spec = importlib.util.find_spec("rotel")
        if spec is None or spec.origin is None:
            pytest.skip("rotel is not installed")
        self._program = Path(spec.origin).with_name("rotel-agent")
        self._said = folder / f"rotel-{time.monotonic_ns()}.log"
        self.ports = ports or tuple(free_ports(2))
        self._folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def grpc(self) -> str:
        return f"http://127.0.0.1:{self.ports[0]}"

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.ports[1]}"

    def start(self) -> None:
        """Starts it and waits until it listens."""
        endpoints = [f"127.0.0.1:{port}" for port in self.ports]
        where = ["--otlp-grpc-endpoint", endpoints[0], "--otlp-http-endpoint", endpoints[1]]
        shown = ["--debug-log", "metrics", "--debug-log", "logs", "--debug-log-verbosity", "detailed"]
        files = ["--pid-file", str(self._folder / "rotel.pid"), "--log-file", str(self._folder / "rotel.out")]
        with self._said.open("ab") as said:
            self.process = subprocess.Popen(
                [str(self._program), "start", *where, "--exporter", "blackhole", *shown, *files],
                stdout=said,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
            )
        eventually(lambda: all(_listens(port) for port in self.ports))

    def stop(self) -> None:
        """Ends it."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def said(self) -> str:
        """All that it has printed."""
        return self._said.read_text(errors="replace")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
