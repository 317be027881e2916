"""Garbage is refused by name, and the injector goes on."""

import json
from pathlib import Path
from typing import Any

import pytest
from hopwatch.cli import main
from pod_parts import ASKED, container, pod
from pods import KINDS

from tests.injector.conftest import TO_BE_ADDED, Injector, write

POD = {"group": "", "version": "v1", "kind": "Pod"}
REVIEW = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
REQUEST = {"uid": "1", "kind": POD, "operation": "CREATE"}


def adding(**parts: Any) -> dict[str, Any]:
    """A fragment with another agent."""
    preparing, agent = TO_BE_ADDED["initContainers"]
    return TO_BE_ADDED | {"initContainers": [preparing, agent | parts]}


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
            (json.dumps(REVIEW | {"request": REQUEST | {"object": one}}), said)
            for one, said in (
                ({}, "spec"),
                ({"spec": {"containers": []}}, "$.spec.containers"),
                ({"spec": {"containers": [{}]}}, "$.spec.containers[0]"),
                ({"spec": {"containers": [{"name": "a", "env": "x"}]}}, "$.spec.containers[0].env"),
                ({"spec": {"containers": [{"name": "a", "env": [{}]}]}}, "$.spec.containers[0].env[0]"),
                ({"spec": {"containers": [{"name": "a"}], "volumes": 3}}, "$.spec.volumes"),
                ({"spec": {"containers": [{"name": "a"}], "securityContext": 3}}, "$.spec.securityContext"),
                (
                    {"spec": {"containers": [{"name": "a", "env": [{"name": "B", "value": 1}]}]}},
                    "env[0].value",
                ),
                ({"spec": {"containers": [{"name": "a"}] * 251}}, "251 containers"),
                ({"spec": {"containers": [{"name": "a"}] * 50_000}}, "50000 containers"),
                (
                    {"spec": {"containers": [{"name": "a", "env": [{"name": "B"}] * 10_001}]}},
                    "10001 variables",
                ),
                (
                    {"spec": {"containers": [{"name": "a", "volumeMounts": [{"name": "b"}] * 5001}] * 2}},
                    "10002 mounts",
                ),
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
    assert "3145728" in answer.json()["title"]
    assert "patch" in injector.review(KINDS["bare"].pod)


def test_a_pod_that_names_thousands_of_containers_is_answered_shortly(injector: Injector) -> None:
    names = ",".join(f"c{place}" for place in range(35_000))
    warned = injector.review(pod(annotations={**ASKED, "hopwatch.dev/containers": names}))["warnings"]
    assert "hopwatch.dev/containers names c0, c1, " in warned[0]
    assert len(warned[0]) < 2_000


@pytest.mark.parametrize("quantity", ["1e999999999", "-", "1Xi", ""])
def test_quantities_that_are_none_are_the_api_servers_to_refuse(injector: Injector, quantity: str) -> None:
    asking = pod(container(resources={"limits": {"cpu": quantity, "memory": "1Gi"}}))
    assert "patch" in injector.review(asking)


@pytest.mark.parametrize(
    ("fragment", "said"),
    [
        (None, "cannot read"),
        ("{", "fragment.json"),
        ({}, "application"),
        (TO_BE_ADDED | {"sidecars": []}, "sidecars"),
        (TO_BE_ADDED | {"volumes": [{"emptyDir": {}}]}, "$.volumes[0] has no name"),
        (
            adding(resources={"requests": {"memory": "512Mi"}, "limits": {"memory": "384Mi"}}),
            "asks for 512Mi of memory",
        ),
        (
            TO_BE_ADDED | {"volumes": [{"name": "x", "emptyDir": {"sizeLimit": "<no value>"}}]},
            "the volume x cannot be of '<no value>'",
        ),
        (TO_BE_ADDED | {"volumes": []}, "the application mounts 'hopwatch-journal'"),
        (adding(image=None), "hopwatch-agent has no image"),
        (adding(volumeMounts=[{"name": "x", "mountPath": "/x"}]), "hopwatch-agent mounts 'x' at '/x'"),
        (adding(resources={"limits": {"memry": "1Gi"}}), "memry is none of cpu"),
        (adding(resources={"limits": {"memory": "much"}}), "memory 'much' is no quantity"),
        (adding(env=[{"name": "1=b", "value": "x"}]), "'1=b' is no name of a variable"),
        (adding(env=[{"name": "A", "valueFrom": {"foo": "bar"}}]), "A takes its value from one of"),
        (
            adding(env=[{"name": "A", "value": "1", "valueFrom": {"fieldRef": {}}}]),
            "A takes its value from one of",
        ),
    ],
)
def test_it_does_not_start_on_a_fragment_that_it_cannot_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fragment: Any, said: str
) -> None:
    file = tmp_path / "fragment.json" if fragment is None else write(tmp_path, fragment)
    assert main(["injector", "--fragment", str(file), "--listen", "127.0.0.1:0"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.startswith("hopwatch injector: ")
