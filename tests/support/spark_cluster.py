"""A real Spark cluster on this machine: a standalone master and two workers of a core each."""

import os
import subprocess
import time
import urllib.request
from pathlib import Path

from ports import free_ports
from pyspark.find_spark_home import _find_spark_home

STARTING = 120
STOPPING = 20
WORKERS = 2
HOST = "127.0.0.1"


class SparkCluster:
    """``folder`` gets the logs and the work of all executors."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._page = free_ports(2)
        self._processes: list[subprocess.Popen[bytes]] = []
        self.home = Path(_find_spark_home())

    @property
    def master(self) -> str:
        return f"spark://{HOST}:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """For programs that use it: all traffic on loopback."""
        return os.environ | {"SPARK_LOCAL_IP": HOST, "SPARK_DAEMON_MEMORY": "256m"}

    def executor_logs(self) -> dict[Path, str]:
        return {path: path.read_text() for path in self._folder.glob("work-*/app-*/*/stderr")}

    def start(self) -> None:
        pages = ["--webui-port", str(self._page)]
        self._start("master", "master.Master", "--host", HOST, "--port", str(self._port), *pages)
        for number in range(WORKERS):
            work = ["--work-dir", str(self._folder / f"work-{number}"), "--webui-port", "0"]
            self._start(
                f"worker-{number}", "worker.Worker", "--host", HOST, "-c", "1", "-m", "1g", *work, self.master
            )
        self._await_workers()

    def stop(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            _ended(process)

    def _start(self, name: str, class_: str, *arguments: str) -> None:
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{class_}", *arguments]
        with (self._folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)
        self._processes.append(process)

    def _await_workers(self) -> None:
        deadline = time.monotonic() + STARTING
        while self._alive() < WORKERS:
            logs = [path.read_text()[-1000:] for path in self._folder.glob("*.log")]
            assert time.monotonic() < deadline, logs
            assert all(process.poll() is None for process in self._processes), logs
            time.sleep(0.2)

    def _alive(self) -> int:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self._page}/json/", timeout=5) as answer:
                return int(answer.read().decode().count('"state" : "ALIVE"'))
        except OSError:
            return 0


def _ended(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(STOPPING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
