"""The real podman, which plays pods, and the images that scripts/build-images makes."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Json = dict[str, Any]
REPOSITORY = Path(__file__).parents[2]
CONTAINERS = REPOSITORY / ".tools" / "containers"
VERSION = "0.1.0"


def image(name: str) -> str:
    """The name of one that was built here."""
    return f"localhost/hopwatch/{name}:{VERSION}"


def podman(
    *arguments: object, check: bool = True, timeout: float = 120
) -> "subprocess.CompletedProcess[str]":
    """Run it. Skips the test where it, or what it needs, is missing."""
    if os.geteuid() != 0 or shutil.which("podman") is None or not (CONTAINERS / "containers.conf").exists():
        pytest.skip("no images and no podman that root may use: scripts/test makes them")
    environment = os.environ | {
        "CONTAINERS_CONF": str(CONTAINERS / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(CONTAINERS / "storage.conf"),
    }
    done = subprocess.run(
        ["podman", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=CONTAINERS,  # what watches a container leaves a file where it was started, when memory is short
        timeout=timeout,
        check=False,
    )
    assert not check or done.returncode == 0, f"podman {arguments}: {done.stderr}"
    return done


class Pod:
    """One that is being played: containers without a network but their own loopback."""

    def __init__(self, name: str) -> None:
        self.name = name

    def container(self, name: str) -> str:
        """What podman calls one of its containers."""
        return f"{self.name}-{name}"

    def run(self, container: str, *command: object) -> str:
        """What a command prints that runs in one of its containers."""
        return podman("exec", self.container(container), *command).stdout

    def succeeds(self, container: str, *command: object) -> bool:
        """Whether a command does in one of its containers."""
        assert self.state(container)["Running"], self.logs(container)
        return podman("exec", self.container(container), *command, check=False).returncode == 0

    def logs(self, container: str) -> str:
        """What a container has printed."""
        done = podman("logs", self.container(container))
        return done.stdout + done.stderr

    def state(self, container: str) -> Json:
        """As podman tells it: ``Running``, ``ExitCode``, ``OOMKilled``."""
        found: Json = json.loads(podman("inspect", self.container(container)).stdout)[0]["State"]
        return found

    def cgroup(self, container: str) -> str:
        """The name of its cgroup on this machine, in each hierarchy."""
        return str(self.state(container)["CgroupPath"])

    def kill(self, container: str) -> None:
        """SIGKILL."""
        podman("kill", "--signal", "KILL", self.container(container))
        podman("wait", self.container(container))

    def start(self, container: str) -> None:
        """Once more."""
        podman("start", self.container(container))

    def stop_all(self) -> None:
        """SIGTERM to all containers at the same moment, and what a pod's grace period allows."""
        podman("pod", "stop", "--time", 30, self.name)

    def stop(self, container: str) -> None:
        """SIGTERM, and what a pod's grace period allows."""
        podman("stop", "--time", 30, self.container(container))


@contextmanager
def played(pod: Json, folder: Path) -> Iterator[Pod]:
    """The pod, as long as the block runs."""
    manifest = folder / "pod.json"
    manifest.write_text(json.dumps(pod))
    name = pod["metadata"]["name"]
    try:
        podman("play", "kube", "--replace", "--network", "none", manifest)
        yield Pod(name)
    finally:
        podman("pod", "rm", "--force", "--time", 0, name, check=False)
