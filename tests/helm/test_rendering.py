"""What both versions of helm make of the chart, for each set of values and each version of Kubernetes, judged by Kubernetes' own schemas."""

import copy
from pathlib import Path

import jsonpatch
import pytest
from charts import CHART, NEWEST, VALUES, VERSIONS, Json, each_kubernetes, helm, objects, rendered
from crds import is_of_others, misfits
from hopwatch_injector.agent_settings import require_agent_settings
from hopwatch_injector.fragment import read_fragment
from hopwatch_injector.patch import patch
from hopwatch_injector.wishes import Wishes
from kubernetes_schemas import require_valid
from pods import KINDS

WITHOUT_INJECTOR = {"spark-application"}
CERTIFICATES = {"ca.crt", "tls.crt", "tls.key"}


def without_certificates(found: list[Json]) -> list[Json]:
    """Helm makes new ones each time."""
    masked = copy.deepcopy(found)
    for one in masked:
        if one["kind"] == "Secret":
            assert one["data"].keys() == CERTIFICATES
            one["data"] = dict.fromkeys(one["data"], "MADE")
        for webhook in one.get("webhooks", ()):
            if len(webhook["clientConfig"].get("caBundle", "")) > 1000:
                webhook["clientConfig"]["caBundle"] = "MADE"
    return masked


@pytest.mark.parametrize("kubernetes", each_kubernetes(NEWEST))
@pytest.mark.parametrize("values", VALUES)
def test_both_versions_of_helm_make_the_same_and_kubernetes_takes_it(values: str, kubernetes: str) -> None:
    made = {
        version: objects(rendered(version, CHART, "--values", VALUES[values], kubernetes=kubernetes))
        for version in VERSIONS
    }
    assert without_certificates(made["3"]) == without_certificates(made["4"])
    for one in made["4"]:
        if not is_of_others(one):
            require_valid(one, kubernetes)


def test_operators_take_what_is_made_for_them() -> None:
    made = [one for values in VALUES.values() for one in objects(rendered("4", CHART, "--values", values))]
    assert misfits([one for one in made if is_of_others(one)]) == []


def test_what_an_operator_would_not_take_is_found() -> None:
    made = objects(rendered("4", CHART, "--values", VALUES["guarded"]))
    monitor = next(one for one in made if one["kind"] == "PodMonitor")
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    endpoint["intervall"] = endpoint.pop("interval")
    assert "intervall" in misfits([monitor])[0]
    made = objects(rendered("4", CHART, "--values", VALUES["spark-application"]))
    application = next(one for one in made if one["kind"] == "SparkApplication")
    application["spec"]["driver"]["memori"] = application["spec"]["driver"].pop("memory")
    assert "memori" in misfits([application])[0]


@pytest.mark.parametrize("kubernetes", ["1.28", "1.29", "1.35"])
@pytest.mark.parametrize("values", VALUES)
def test_what_the_injector_adds_makes_a_pod_that_kubernetes_takes(
    values: str, kubernetes: str, tmp_path: Path
) -> None:
    found = objects(rendered("4", CHART, "--values", VALUES[values], kubernetes=kubernetes))
    fragments = [one["data"]["fragment.json"] for one in found if "fragment.json" in one.get("data", {})]
    if values in WITHOUT_INJECTOR:
        assert fragments == []
        return
    file = tmp_path / "fragment.json"
    file.write_text(fragments[0])
    fragment = read_fragment(file)
    require_agent_settings(fragment)
    pod = KINDS["bare"].pod
    for one in (pod, KINDS["that is guaranteed what it asks for"].pod):
        patched = jsonpatch.apply_patch(copy.deepcopy(one), patch(one, fragment, Wishes(inject=True)))
        require_valid(patched, kubernetes)


@pytest.mark.parametrize(
    "version", [pytest.param("3", marks=pytest.mark.extended("the newer one looks for more")), "4"]
)
@pytest.mark.parametrize("values", VALUES)
def test_helm_finds_nothing_to_mend(version: str, values: str) -> None:
    done = helm(version, "lint", "--strict", CHART, "--values", VALUES[values])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS)
def test_the_packaged_chart_is_whole(version: str, tmp_path: Path) -> None:
    done = helm(version, "package", CHART, "--destination", tmp_path)
    assert done.returncode == 0, done.stderr
    (package,) = tmp_path.glob("hopwatch-*.tgz")
    values = VALUES["s3"]
    assert without_certificates(
        objects(rendered(version, package, "--values", values))
    ) == without_certificates(objects(rendered(version, CHART, "--values", values)))
