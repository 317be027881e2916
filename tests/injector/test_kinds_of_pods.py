"""Pods of many kinds go through the real webhook: the patch it gives is applied, and Kubernetes' own schemas judge what comes of it."""

import base64
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
from charts import CHART, VALUES, fragment_in, objects, rendered
from kubernetes_schemas import require_valid
from pod_parts import EVICTABLE, Kind
from pod_rules import broken
from pods import KINDS

from tests.injector.conftest import TO_BE_ADDED, Injector, injector_adding

Json = dict[str, Any]
VERSIONS = ("1.29", "1.32", "1.35")
"""Before the first, an init container cannot go on beside the others."""


def applied(pod: Json, response: Json) -> Json:
    patched: Json = jsonpatch.apply_patch(copy.deepcopy(pod), json.loads(base64.b64decode(response["patch"])))
    return patched


def named(items: list[Json]) -> dict[str, Json]:
    return {item["name"]: item for item in items}


@pytest.fixture(scope="module", params=["s3", "guarded"])
def injector_of_a_chart(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Injector]:
    values = ["--values", VALUES[request.param], "--set", "images.architectures={amd64}"]
    added = fragment_in(objects(rendered("4", CHART, *values)))
    with injector_adding(tmp_path_factory.mktemp("chart"), added) as serving:
        yield serving


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_pod_becomes_what_it_should_with_what_the_chart_adds(
    injector_of_a_chart: Injector, kind: Kind
) -> None:
    require_outcome(injector_of_a_chart, kind)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_pod_becomes_what_it_should_and_what_comes_of_it_is_a_pod(injector: Injector, kind: Kind) -> None:
    require_outcome(injector, kind)


def require_outcome(injector: Injector, kind: Kind) -> None:
    response = injector.review(kind.pod, by=kind.by, **kind.request)
    assert (kind.warned is None) is ("warnings" not in response)
    assert kind.warned is None or kind.warned in response["warnings"][0]
    if not kind.instrumented:
        assert "patch" not in response
        return
    assert response["patchType"] == "JSONPatch"
    pod = applied(kind.pod, response)
    for version in VERSIONS:
        require_valid(pod, version)
    assert broken(pod) == []
    assert pod["metadata"]["annotations"]["hopwatch.dev/injected"]
    assert pod["metadata"]["labels"]["hopwatch.dev/agent"] == "true"
    for container in pod["spec"]["containers"]:
        mounts = {mount["name"] for mount in container.get("volumeMounts") or ()}
        assert (container["name"] in kind.instrumented) is (
            {"hopwatch-journal", "hopwatch-instrumentation"} <= mounts
        )
    first = next(one for one in pod["spec"]["containers"] if one["name"] == kind.instrumented[0])
    values = [one.get("value") for one in first["env"] if one["name"] == "PYTHONPATH"]
    assert values == [kind.pythonpath]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_nothing_that_a_pod_had_is_gone_or_changed(injector: Injector, kind: Kind) -> None:
    response = injector.review(kind.pod, by=kind.by, **kind.request)
    if "patch" not in response:
        return
    changed_pod = applied(kind.pod, response)
    for part in ("labels", "annotations"):
        own = kind.pod.get("metadata", {}).get(part, {})
        assert {name: text for name, text in own.items() if name != EVICTABLE}.items() <= changed_pod[
            "metadata"
        ][part].items()
    before, after = kind.pod["spec"], changed_pod["spec"]
    for part in ("volumes", "initContainers"):
        was = before.get(part) or []
        assert [item for item in after.get(part) or [] if item in was] == was
    for was, now in zip(before["containers"], after["containers"], strict=True):
        changed = {"env", "volumeMounts"}
        assert {k: v for k, v in was.items() if k not in changed} == {
            k: v for k, v in now.items() if k not in changed
        }
        mounts = was.get("volumeMounts") or []
        assert (now.get("volumeMounts") or [])[: len(mounts)] == mounts
        for variable in was.get("env") or ():
            if variable["name"] != "PYTHONPATH":
                assert variable in now["env"]
    assert {
        k: v for k, v in before.items() if k not in ("containers", "volumes", "initContainers")
    }.items() <= after.items()


def test_ours_begin_before_the_pods_own(injector: Injector) -> None:
    pod = KINDS["with init containers of its own"].pod
    after = applied(pod, injector.review(pod))["spec"]["initContainers"]
    assert [item["name"] for item in after] == [
        "hopwatch-instrumentation",
        "hopwatch-agent",
        "migrate",
        "proxy",
    ]


@pytest.mark.parametrize(
    ("own", "after"),
    [
        (None, ["registry"]),
        ([{"name": "theirs"}], ["theirs", "registry"]),
        ([{"name": "registry"}, {}], ["registry", None]),
    ],
)
def test_secrets_for_the_images_are_put_beside_the_pods_own(
    injector: Injector, own: list[Json] | None, after: list[str | None]
) -> None:
    pod = copy.deepcopy(KINDS["bare"].pod)
    if own is not None:
        pod["spec"]["imagePullSecrets"] = own
    secrets = applied(pod, injector.review(pod))["spec"]["imagePullSecrets"]
    assert [secret.get("name") for secret in secrets] == after


def test_an_injected_pod_is_not_injected_again(injector: Injector) -> None:
    pod = KINDS["bare"].pod
    again = applied(pod, injector.review(pod))
    assert "patch" not in injector.review(again)
    assert "patch" not in injector.review(again, by="namespace")


def test_on_the_hosts_network_the_agent_takes_a_free_port_and_is_not_probed(injector: Injector) -> None:
    pod = KINDS["of a DaemonSet on the host's network"].pod
    agent = named(applied(pod, injector.review(pod))["spec"]["initContainers"])["hopwatch-agent"]
    assert named(agent["env"])["HOPWATCH_AGENT_LISTEN"]["value"] == "127.0.0.1:0"
    assert agent.keys() & {"ports", "startupProbe"} == set()
    elsewhere = named(
        applied(KINDS["bare"].pod, injector.review(KINDS["bare"].pod))["spec"]["initContainers"]
    )
    assert elsewhere["hopwatch-agent"] == TO_BE_ADDED["initContainers"][1]


@pytest.mark.parametrize(("grace", "stop"), [(None, "28"), (60, "58"), (1, "1"), (0, "1"), (7200, "3600")])
def test_the_agent_is_given_the_time_that_the_pod_has_to_end(
    injector: Injector, grace: int | None, stop: str
) -> None:
    pod = copy.deepcopy(KINDS["bare"].pod)
    if grace is not None:
        pod["spec"]["terminationGracePeriodSeconds"] = grace
    agent = named(applied(pod, injector.review(pod))["spec"]["initContainers"])["hopwatch-agent"]
    assert named(agent["env"])["HOPWATCH_AGENT_STOP_SECONDS"]["value"] == stop


GUARANTEED = KINDS["that is guaranteed what it asks for"].pod


def test_a_pod_that_is_guaranteed_what_it_asks_for_stays_so(injector: Injector) -> None:
    spec = applied(GUARANTEED, injector.review(GUARANTEED))["spec"]
    for container in [*spec["initContainers"], *spec["containers"]][:2]:
        resources = container["resources"]
        assert resources["requests"] == resources["limits"]
    agent = named(spec["initContainers"])["hopwatch-agent"]
    assert agent["resources"]["limits"] == {"cpu": "250m", "memory": "384Mi"}


@pytest.mark.parametrize(
    "resources",
    [
        {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}},
        {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"memory": "1G"}},
        {"limits": {"cpu": "0", "memory": "1Gi"}},
    ],
)
def test_others_are_not_given_all_that_they_are_limited_to(injector: Injector, resources: Json) -> None:
    pod = copy.deepcopy(GUARANTEED)
    pod["spec"]["containers"][0]["resources"] = resources
    agent = named(applied(pod, injector.review(pod))["spec"]["initContainers"])["hopwatch-agent"]
    assert agent["resources"]["requests"] == {"cpu": "20m", "memory": "160Mi"}


@pytest.mark.parametrize("limit", ["1", "1000m", "1000000u", "1000000000n", "1e0"])
def test_amounts_are_compared_however_they_are_written(injector: Injector, limit: str) -> None:
    pod = copy.deepcopy(GUARANTEED)
    pod["spec"]["containers"][0]["resources"] = {
        "limits": {"cpu": limit, "memory": "1Gi"},
        "requests": {"cpu": "1", "memory": "1073741824"},
    }
    agent = named(applied(pod, injector.review(pod))["spec"]["initContainers"])["hopwatch-agent"]
    assert agent["resources"]["requests"] == agent["resources"]["limits"]


@pytest.mark.parametrize(
    "resources",
    [
        {},
        {"limits": {"memory": "1Gi"}},
        {"limits": {"memory": "1Gi"}, "requests": {"cpu": "500m"}},
    ],
)
def test_to_others_what_is_added_is_added_as_it_is(injector: Injector, resources: Json) -> None:
    pod = copy.deepcopy(GUARANTEED)
    pod["spec"]["containers"][0]["resources"] = resources
    agent = named(applied(pod, injector.review(pod))["spec"]["initContainers"])["hopwatch-agent"]
    assert agent["resources"] == TO_BE_ADDED["initContainers"][1]["resources"]


def test_whatever_is_added_to_a_guaranteed_pod_asks_for_no_less_than_it_did(tmp_path: Path) -> None:
    preparing, agent = TO_BE_ADDED["initContainers"]
    asking = agent | {"resources": {"requests": {"cpu": "500m", "ephemeral-storage": "1Gi"}}}
    with injector_adding(tmp_path, TO_BE_ADDED | {"initContainers": [preparing, asking]}) as injector:
        spec = applied(GUARANTEED, injector.review(GUARANTEED))["spec"]
    resources = named(spec["initContainers"])["hopwatch-agent"]["resources"]
    assert resources["limits"] == {"cpu": "500m", "memory": "384Mi"}
    # who asks for disk is not limited to that
    assert resources["requests"] == {"cpu": "500m", "memory": "384Mi", "ephemeral-storage": "1Gi"}


def test_a_pod_that_asks_as_a_whole_is_not_asked_for_more(injector: Injector) -> None:
    pod = copy.deepcopy(KINDS["bare"].pod)
    pod["spec"]["resources"] = {"requests": {"memory": "256Mi"}}
    for container in applied(pod, injector.review(pod))["spec"]["initContainers"]:
        assert "resources" not in container


def test_a_secret_pythonpath_is_kept_under_another_name_before_ours(injector: Injector) -> None:
    pod = KINDS["with a PYTHONPATH from a secret"].pod
    env = applied(pod, injector.review(pod))["spec"]["containers"][0]["env"]
    names = [variable["name"] for variable in env]
    assert names.index("HOPWATCH_PYTHONPATH_BEFORE") < names.index("PYTHONPATH")
    assert named(env)["HOPWATCH_PYTHONPATH_BEFORE"]["valueFrom"]["secretKeyRef"] == {
        "name": "paths",
        "key": "python",
    }


def test_what_the_pod_sets_itself_comes_before_ours(injector: Injector) -> None:
    pod = KINDS["with a journal directory of its own"].pod
    env = applied(pod, injector.review(pod))["spec"]["containers"][0]["env"]
    assert [one["value"] for one in env if one["name"] == "HOPWATCH_DIR"] == ["/mine"]


@pytest.mark.parametrize(("what", "asked"), [("sequence", "stamp"), ("topic", " "), ("topic", "8")])
def test_a_setting_of_the_instrumentation_is_asked_for_by_annotation(
    injector: Injector, what: str, asked: str
) -> None:
    pod = copy.deepcopy(KINDS["bare"].pod)
    pod["metadata"]["annotations"][f"hopwatch.dev/{what}"] = asked
    env = named(applied(pod, injector.review(pod))["spec"]["containers"][0]["env"])
    assert env[f"HOPWATCH_{what.upper()}"]["value"] == asked


@pytest.mark.parametrize(
    ("kind", "owner"),
    [
        ("of a Job", "Job/nightly"),
        ("of a CronJob", "CronJob/nightly"),
        ("of a Job with a date", "Job/load-20261126"),
        ("of a Deployment", "Deployment/quotes"),
        ("of a Rollout", "Rollout/quotes"),
        ("of a ReplicaSet", "ReplicaSet/nightly"),
        ("bare", None),
    ],
)
def test_the_workload_that_a_pod_is_of_is_told(injector: Injector, kind: str, owner: str | None) -> None:
    annotations = applied(KINDS[kind].pod, injector.review(KINDS[kind].pod))["metadata"]["annotations"]
    assert annotations.get("hopwatch.dev/owner") == owner


def test_each_container_is_told_its_name(injector: Injector) -> None:
    pod = KINDS["with several containers"].pod
    for container in applied(pod, injector.review(pod))["spec"]["containers"]:
        assert named(container["env"])["K8S_CONTAINER_NAME"]["value"] == container["name"]


def test_a_pod_that_ends_by_itself_is_not_kept_by_an_agent_beside_its_containers(tmp_path: Path) -> None:
    preparing, agent = TO_BE_ADDED["initContainers"]
    beside = TO_BE_ADDED | {
        "initContainers": [preparing],
        "containers": [{name: value for name, value in agent.items() if name != "restartPolicy"}],
    }
    with injector_adding(tmp_path, beside) as injector:
        response = injector.review(KINDS["of a Job"].pod)
        assert "patch" not in response
        assert "native sidecar" in response["warnings"][0]
        spec = applied(KINDS["bare"].pod, injector.review(KINDS["bare"].pod))["spec"]
    assert [one["name"] for one in spec["containers"]] == ["app", "hopwatch-agent"]
    for version in VERSIONS:
        require_valid(KINDS["bare"].pod | {"spec": spec}, version)
