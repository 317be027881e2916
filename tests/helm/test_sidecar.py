"""The agent beside an application: in a chart that includes the templates, and in what the injector is given to add."""

import json
import os
import shutil
from pathlib import Path

import pytest
from charts import (
    CHART,
    NEWEST,
    OLDEST,
    OLDEST_WITH_NATIVE_SIDECARS,
    VALUES,
    VERSIONS,
    Json,
    each_kubernetes,
    fragment_in,
    helm,
    objects,
    only,
    pods_of,
    rendered,
)
from hopwatch_injector.fragment import read_fragment
from kubernetes_schemas import require_valid
from preloaded import HOPWATCH, read_by_python, run_to_end


@pytest.fixture(scope="module", params=VERSIONS)
def feed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The example of a chart of one's own, with this chart in it; and the version of helm."""
    folder = tmp_path_factory.mktemp("charts") / "helm"
    shutil.copytree(CHART.parent, folder)
    done = helm(request.param, "dependency", "build", folder / "feed")
    assert done.returncode == 0, done.stderr
    return request.param, folder / "feed"


def annotations_of(pod: Json) -> Json:
    found: Json = pod["metadata"]["annotations"]
    return found


def test_volumes_that_need_not_keep_a_node_are_all_that_are_the_nodes(feed: tuple[str, Path]) -> None:
    version, chart = feed
    made = only(objects(rendered(version, chart)), "Deployment")["spec"]["template"]
    named = annotations_of(made)["cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"].split(",")
    assert named == [volume["name"] for volume in made["spec"]["volumes"] if "emptyDir" in volume]


def parts(spec: Json) -> dict[str, list[str]]:
    """Names of what a pod has."""
    return {
        part: [one["name"] for one in spec.get(part) or ()]
        for part in ("initContainers", "containers", "volumes")
    }


@pytest.mark.parametrize("kubernetes", each_kubernetes(OLDEST, OLDEST_WITH_NATIVE_SIDECARS, NEWEST))
def test_it_is_an_init_container_that_goes_on_where_the_cluster_can(
    feed: tuple[str, Path], kubernetes: str
) -> None:
    version, chart = feed
    found = objects(rendered(version, chart, kubernetes=kubernetes))
    for one in found:
        require_valid(one, kubernetes)
    (spec,) = pods_of(found)
    native = kubernetes != "1.28"
    assert parts(spec) == {
        "initContainers": ["hopwatch-instrumentation", *(["hopwatch-agent"] if native else [])],
        "containers": ["feed", *([] if native else ["hopwatch-agent"])],
        "volumes": ["hopwatch-journal", "hopwatch-data", "hopwatch-instrumentation", "hopwatch-no-token"],
    }
    agent = spec["initContainers"][1] if native else spec["containers"][1]
    assert agent.get("restartPolicy") == ("Always" if native else None)
    assert agent["startupProbe"]["tcpSocket"] == {"port": "hopwatch"}
    assert agent["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert agent["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert spec["volumes"][0]["emptyDir"] == {"medium": "Memory", "sizeLimit": "64Mi"}


@pytest.mark.parametrize(("asked", "native"), [("native", True), ("container", False)])
def test_it_is_what_is_asked_for_whatever_the_cluster_says(
    feed: tuple[str, Path], asked: str, native: bool
) -> None:
    version, chart = feed
    for kubernetes in ("1.29", "1.35"):
        made = rendered(version, chart, "--set", f"hopwatch.agent.sidecar={asked}", kubernetes=kubernetes)
        (spec,) = pods_of(objects(made))
        assert ("hopwatch-agent" in parts(spec)["initContainers"]) is native


def test_the_injector_adds_what_such_a_chart_includes(feed: tuple[str, Path], tmp_path: Path) -> None:
    version, chart = feed
    made = only(objects(rendered(version, chart)), "Deployment")["spec"]["template"]
    spec = made["spec"]
    file = tmp_path / "fragment.json"
    values = ["--set", "application.sequence=stamp"]
    file.write_text(only(objects(rendered(version, CHART, *values)), "ConfigMap")["data"]["fragment.json"])
    added = json.loads(file.read_text())
    read_fragment(file)
    assert added["initContainers"] == spec["initContainers"]
    assert added["volumes"] == spec["volumes"]
    assert added["annotations"].items() <= annotations_of(made).items()
    assert added["application"]["volumeMounts"] == spec["containers"][0]["volumeMounts"]
    variables = {one["name"]: one for one in spec["containers"][0]["env"]}
    assert {one["name"]: one for one in added["application"]["env"]}.items() <= variables.items()
    assert added["application"]["pythonpath"] == variables["PYTHONPATH"]["value"]


def test_where_messages_have_their_topic_is_told_to_what_is_injected(feed: tuple[str, Path]) -> None:
    version, _ = feed
    made = objects(rendered(version, CHART, "--set-string", "application.topic= "))
    added = json.loads(only(made, "ConfigMap")["data"]["fragment.json"])["application"]["env"]
    assert {"name": "HOPWATCH_TOPIC", "value": " "} in added


def test_agent_and_application_agree_on_journal_and_host(feed: tuple[str, Path]) -> None:
    version, chart = feed
    (spec,) = pods_of(objects(rendered(version, chart)))
    agent, application = spec["initContainers"][1], spec["containers"][0]
    for name in (
        "HOPWATCH_DIR",
        "HOPWATCH_HOST",
        "K8S_POD_NAME",
        "K8S_NAMESPACE_NAME",
        "K8S_NODE_NAME",
        "K8S_OWNER",
    ):
        (of_agent,) = (one for one in agent["env"] if one["name"] == name)
        (of_application,) = (one for one in application["env"] if one["name"] == name)
        assert of_agent == of_application


@pytest.mark.parametrize("values", [name for name in VALUES if name not in {"guarded", "spark-application"}])
def test_the_agent_takes_its_settings(values: str, tmp_path: Path) -> None:
    found = objects(rendered("4", CHART, "--values", VALUES[values]))
    added = fragment_in(found)
    (agent,) = (
        one for part in ("initContainers", "containers") for one in added.get(part, ()) if "args" in one
    )
    variables = {one["name"]: one.get("value", "told-by-kubernetes") for one in agent["env"]}
    # the volumes of the pod
    here = {name: value.replace("/var/lib/hopwatch", str(tmp_path)) for name, value in variables.items()}
    here["HOPWATCH_AGENT_LISTEN"] = "0.0.0.0:0"
    here["HOPWATCH_DIR"] = str(tmp_path / "journal")
    if here["HOPWATCH_AGENT_LAND"] == "/landed":
        here["HOPWATCH_AGENT_LAND"] = str(tmp_path / "landed")
    done = run_to_end([HOPWATCH, *agent["args"], "--check"], here | read_by_python(os.environ))
    assert (done.returncode, done.stderr) == (0, "")
