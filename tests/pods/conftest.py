"""A pod with two applications, as the real injector makes it from what the chart says, played by podman."""

import base64
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import jsonpatch
import pytest
from charts import CHART, fragment_in, objects, rendered
from kubelet import scheduled
from podman import Pod, image, played

from tests.injector.conftest import injector_adding

Json = dict[str, Any]
ENDPOINT = "tcp://127.0.0.1:7001"
PROGRAMS = Path(__file__).parent / "programs"
DEADLINE = 180
SOMEBODY = 1000
"""The applications' user, who is not the agent's."""
ASK = "import sys, urllib.request; print(urllib.request.urlopen('http://127.0.0.1:8735' + sys.argv[1]).read().decode())"


class Party:
    """One of the two applications."""

    def __init__(self, folder: Path, name: str) -> None:
        self._out = folder / f"{name}.out"
        self._out.touch(mode=0o666)
        self._out.chmod(0o666)
        pipe = folder / f"{name}.pipe"
        os.mkfifo(pipe, 0o666)
        pipe.chmod(0o666)
        # opened for both, it waits for nobody
        self._pipe = os.open(pipe, os.O_RDWR)

    def tell(self, command: object) -> None:
        os.write(self._pipe, f"{command}\n".encode())

    def ask(self, command: object) -> Any:
        """What it says when it has done so."""
        said = len(self._lines())
        self.tell(command)
        await_true(lambda: len(self._lines()) > said)
        return json.loads(self.said()[-1])

    def said(self) -> list[str]:
        """Each time that it had done what it was told."""
        return [line.split(" ", 1)[1] for line in self._lines()]

    def close(self) -> None:
        os.close(self._pipe)

    def _lines(self) -> list[str]:
        return [line for line in self._out.read_text().splitlines(keepends=True) if line.endswith("\n")]


class Feed:
    """The pod: ``sender`` publishes, ``receiver`` is subscribed; ``landed`` is where its agent's files land."""

    def __init__(self, pod: Pod, sender: Party, receiver: Party, landed: Path) -> None:
        self.pod = pod
        self.sender = sender
        self.receiver = receiver
        self.landed = landed
        self._sent_before = 0

    def await_subscription(self) -> None:
        """What is sent before it has come to the sender is nobody's."""
        await_true(lambda: self.sender.ask(1) and self.receiver.ask("drain"))
        await_true(lambda: self.sockets().keys() == {"sender", "receiver"})
        received = self.receiver.ask("drain")
        self._sent_before = received[0]

    def lost(self, received: list[int], sent: int) -> int:
        """Of the messages that the receiver was to get."""
        return sent - self._sent_before - len(received)

    def sent_at_the_end(self) -> int:
        """As the sender said last."""
        return int(self.sender.said()[-1])

    def await_ready(self) -> None:
        """As the agent's probes would."""
        await_true(lambda: self.pod.succeeds("hopwatch-agent", "python", "-c", ASK, "/readyz"))

    def ask(self, path: str) -> Any:
        """What the agent answers to who is in the pod."""
        return json.loads(self.pod.run("hopwatch-agent", "python", "-c", ASK, path))

    def sockets(self) -> dict[str, Json]:
        """Those that the agent shows, by the container that they are in."""
        return {one["process"]["place"]["container"]: one for one in self.ask("/v1/sockets")}


def await_true(condition: Any, seconds: float = DEADLINE) -> Any:
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it has not become true in time"
        time.sleep(0.05)
    return value


@pytest.fixture
def feed(tmp_path: Path) -> Iterator[Feed]:
    with feed_in(tmp_path) as feed:
        yield feed


@pytest.fixture
def feed_with_little_memory(tmp_path: Path) -> Iterator[Feed]:
    with feed_in(tmp_path, resources={"limits": {"memory": "64Mi"}}) as feed:
        yield feed


@pytest.fixture
def feed_with_an_agent_beside(tmp_path: Path) -> Iterator[Feed]:
    """As in clusters without native sidecars."""
    with feed_in(tmp_path, "agent.sidecar=container") as feed:
        yield feed


@contextmanager
def feed_in(folder: Path, *values: str, **receiver: Any) -> Iterator[Feed]:
    volumes = folder / "volumes"
    control = volumes / "control"
    control.mkdir(parents=True)
    for program in PROGRAMS.glob("*.py"):
        shutil.copy(program, control)
    parties = [Party(control, part) for part in ("sender", "receiver")]
    pod = injected(folder, values, application("sender"), application("receiver") | receiver)
    with (
        TemporaryDirectory(dir="/dev/shm") as in_memory,
        played(scheduled(pod, volumes, Path(in_memory)), folder) as playing,
    ):
        feed = Feed(playing, *parties, volumes / "hopwatch-landed")
        feed.await_ready()
        feed.await_subscription()
        yield feed
    for party in parties:
        party.close()


def injected(folder: Path, values: Sequence[str], *containers: Json) -> Json:
    """What becomes of a pod with these containers where the chart is installed."""
    pod: Json = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "feed-0",
            "labels": {"app": "feed"},
            "annotations": {
                "hopwatch.dev/inject": "true",
                "hopwatch.dev/sequence": "stamp",
                "hopwatch.dev/owner": "StatefulSet/feed",
            },
        },
        "spec": {
            "containers": list(containers),
            "volumes": [{"name": "control", "emptyDir": {}}],
            "terminationGracePeriodSeconds": 30,
        },
    }
    settings = ("landing.claim=events", "agent.landSeconds=1", *values)
    found = objects(rendered("4", CHART, *(word for each in settings for word in ("--set", each))))
    (folder / "injector").mkdir()
    with injector_adding(folder / "injector", fragment_in(found)) as injector:
        patch = base64.b64decode(injector.review(pod)["patch"])
    made: Json = jsonpatch.apply_patch(pod, json.loads(patch))
    return made


def application(part: str) -> Json:
    """A container of an image that knows nothing of hopwatch."""
    at = f"/control/{part}"
    return {
        "name": part,
        "image": image("test-application"),
        "command": ["python3", "/control/party.py", f"{at}.pipe", f"{at}.out", part, ENDPOINT],
        "securityContext": {"runAsUser": SOMEBODY, "runAsGroup": SOMEBODY},
        "volumeMounts": [{"name": "control", "mountPath": "/control"}],
    }
