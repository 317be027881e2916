"""A real injector, served over real HTTPS, with what a chart would have it add."""

import json
import os
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from certificates import Authority
from preloaded import HOPWATCH, start

Json = dict[str, Any]
TO_BE_ADDED: Json = {
    "labels": {"hopwatch.dev/agent": "true"},
    "annotations": {
        "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "hopwatch-journal,hopwatch-instrumentation"
    },
    "application": {
        "pythonpath": "/opt/hopwatch/hopwatch/startup",
        "env": [{"name": "HOPWATCH_DIR", "value": "/run/hopwatch"}],
        "volumeMounts": [
            {"name": "hopwatch-journal", "mountPath": "/run/hopwatch"},
            {"name": "hopwatch-instrumentation", "mountPath": "/opt/hopwatch", "readOnly": True},
        ],
    },
    "volumes": [
        {"name": "hopwatch-journal", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}},
        {"name": "hopwatch-instrumentation", "emptyDir": {}},
    ],
    "imagePullSecrets": [{"name": "registry"}],
    "architectures": ["amd64"],
    "initContainers": [
        {
            "name": "hopwatch-instrumentation",
            "image": "example/instrumentation",
            "resources": {"limits": {"memory": "64Mi"}},
        },
        {
            "name": "hopwatch-agent",
            "image": "example/agent",
            "restartPolicy": "Always",
            "env": [
                {"name": "HOPWATCH_AGENT_LISTEN", "value": "0.0.0.0:8735"},
                {"name": "HOPWATCH_AGENT_STOP_SECONDS", "value": "28"},
            ],
            "resources": {"requests": {"cpu": "20m", "memory": "160Mi"}, "limits": {"memory": "384Mi"}},
            "ports": [{"name": "hopwatch", "containerPort": 8735}],
            "startupProbe": {"httpGet": {"path": "/readyz", "port": "hopwatch"}},
        },
    ],
}


class Injector:
    """Asked as the API server asks."""

    def __init__(
        self, client: httpx.Client, trusting: ssl.SSLContext, process: subprocess.Popen[str], log: Path
    ) -> None:
        self.client = client
        self.trusting = trusting
        self.process = process
        self._log = log

    def over(self, client: httpx.Client) -> "Injector":
        """The same, over other connections."""
        return Injector(client, self.trusting, self.process, self._log)

    def await_log(self, event: str) -> None:
        """Waits until its log tells of an event."""
        deadline = time.monotonic() + 60
        while event not in self._log.read_text():
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.01)

    def review(self, pod: Json, *, by: str = "annotation", **request: Any) -> Json:
        """The response to a review of a new pod."""
        asked = {
            "uid": "b8d2",
            "kind": {"group": "", "version": "v1", "kind": "Pod"},
            "resource": {"group": "", "version": "v1", "resource": "pods"},
            "operation": "CREATE",
            "namespace": "trading",
            "object": pod,
            **request,
        }
        told = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": asked}
        answer = self.client.post(f"/pods/by-{by}", json=told)
        assert answer.status_code == 200, answer.text
        response: Json = answer.json()["response"]
        assert (response["uid"], response["allowed"]) == ("b8d2", True)
        return response


@contextmanager
def injector_adding(folder: Path, fragment: Json, *arguments: str) -> Iterator[Injector]:
    """One that serves as long as the block runs."""
    (folder / "fragment.json").write_text(json.dumps(fragment))
    authority = Authority(folder)
    served = authority.certificate("injector")
    files = [
        "--fragment",
        str(folder / "fragment.json"),
        "--tls-cert",
        str(served.cert),
        "--tls-key",
        str(served.key),
    ]
    log = folder / "log"
    with (
        log.open("w") as lines,
        start(
            [HOPWATCH, "injector", *files, "--listen", "127.0.0.1:0", *arguments],
            os.environ,
            stdout=subprocess.PIPE,
            stderr=lines,
        ) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("hopwatch injector: https://127.0.0.1:"), line
        trusting = ssl.create_default_context(cafile=str(authority.cert))
        with httpx.Client(base_url=line.split()[-1], verify=trusting) as client:
            yield Injector(client, trusting, process, log)
        process.terminate()
        assert process.wait(timeout=120) == 0


@pytest.fixture(scope="module")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Injector]:
    with injector_adding(tmp_path_factory.mktemp("injector"), TO_BE_ADDED) as serving:
        yield serving


def write(folder: Path, fragment: Any) -> Path:
    """A file of what is to be added."""
    file = folder / "fragment.json"
    file.write_text(fragment if isinstance(fragment, str) else json.dumps(fragment))
    return file
