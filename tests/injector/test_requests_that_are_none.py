"""Garbage is refused by name, and the injector goes on."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from agent_process import HOPWATCH
from pods import KINDS

from tests.injector.conftest import TO_BE_ADDED, Injector, write

POD = {"group": "", "version": "v1", "kind": "Pod"}
REVIEW = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
REQUEST = {"uid": "1", "kind": POD, "operation": "CREATE"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "no AdmissionReview"),
        (b"\xff\xfe{", "no AdmissionReview"),
        (b"[1, 2]", "no AdmissionReview"),
        (b"{" * 100_000, "no AdmissionReview"),
        (b'{"x":' * 100_000, "no AdmissionReview"),
        (b'{"request": {"object": ' + b"[" * 100_000, "no AdmissionReview"),
        (json.dumps(REVIEW), "`request`"),
        (json.dumps(REVIEW | {"apiVersion": "admission.k8s.io/v1beta1", "request": REQUEST}), "v1beta1"),
        (json.dumps(REVIEW | {"request": REQUEST | {"uid": ""}}), "$.request.uid"),
        (json.dumps(REVIEW | {"request": REQUEST | {"uid": 7}}), "$.request.uid"),
        *(
            (json.dumps(REVIEW | {"request": REQUEST | {"object": pod}}), said)
            for pod, said in (
                ({}, "spec"),
                ({"spec": {"containers": []}}, "$.spec.containers"),
                ({"spec": {"containers": [{}]}}, "$.spec.containers[0]"),
                ({"spec": {"containers": [{"name": "a", "env": "x"}]}}, "$.spec.containers[0].env"),
                ({"spec": {"containers": [{"name": "a", "env": [{}]}]}}, "$.spec.containers[0].env[0]"),
                ({"spec": {"containers": [{"name": "a"}], "volumes": 3}}, "$.spec.volumes"),
                ({"spec": {"containers": [{"name": "a"}]}, "metadata": {"annotations": [1]}}, "annotations"),
            )
        ),
    ],
)
def test_what_is_no_review_is_refused_and_says_what_is_wrong(
    injector: Injector, body: Any, said: str
) -> None:
    answer = injector.client.post("/pods/by-annotation", content=body)
    assert answer.status_code == 400
    assert said in answer.json()["title"]
    assert "patch" in injector.review(KINDS["bare"].pod)


@pytest.mark.parametrize("told", [True, False])
def test_what_is_too_large_is_refused(injector: Injector, told: bool) -> None:
    body = b" " * (5 << 20)
    answer = injector.client.post("/pods/by-annotation", content=body if told else iter([body]))
    assert answer.status_code == 413
    assert "4194304" in answer.json()["title"]
    assert "patch" in injector.review(KINDS["bare"].pod)


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        (None, "cannot read"),
        ("{", "fragment.json"),
        ({}, "application"),
        (TO_BE_ADDED | {"sidecars": []}, "sidecars"),
        (TO_BE_ADDED | {"volumes": [{"emptyDir": {}}]}, "$.volumes[0] has no name"),
    ],
)
def test_it_does_not_start_on_a_fragment_that_it_cannot_use(tmp_path: Path, fragment: Any, said: str) -> None:
    file = tmp_path / "fragment.json" if fragment is None else write(tmp_path, fragment)
    ended = subprocess.run(
        [HOPWATCH, "injector", "--fragment", str(file), "--listen", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert said in ended.stderr
    assert ended.stderr.startswith("hopwatch injector: ")
