"""What is added has to name what the pod's own containers name, or a quota of the namespace refuses the pod, or its node ends it."""

import copy
from typing import Any

import msgspec
import pytest
from charts import CHART, fragment_in, objects, rendered
from hopwatch_injector.fitting import fitted
from hopwatch_injector.fragment import Fragment
from pod_parts import container, pod
from pod_rules import broken, size

Json = dict[str, Any]
ON_DISK = {"limits": {"ephemeral-storage": "100Mi"}}
BOTH = {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"}


@pytest.fixture(scope="module", params=[None, "4Gi"])
def added(request: pytest.FixtureRequest) -> Fragment:
    """As the chart makes it, and where it asks for more disk than its volumes have."""
    asked = {} if request.param is None else {"requests": {"ephemeral-storage": request.param}}
    values = ("--set-json", f"agent.resources={msgspec.json.encode(asked).decode()}")
    return msgspec.convert(fragment_in(objects(rendered("4", CHART, *values))), Fragment)


def resources(added: Fragment, *own: Json, **spec: Any) -> dict[str, Json]:
    """Of what is added to a pod whose containers have these."""
    containers = [container(f"c{place}", resources=copy.deepcopy(one)) for place, one in enumerate(own)]
    made = pod(*containers, **spec)["spec"]
    fits = [fitted(one, made, added) for one in added.init_containers]
    whole = {"metadata": {}, "spec": {**made, "initContainers": fits, "volumes": list(added.volumes)}}
    assert broken(whole) == []
    return {one["name"]: one.get("resources", {}) for one in fits}


def test_what_all_containers_limit_or_ask_for_what_is_added_does_too(added: Fragment) -> None:
    for found in resources(
        added, {"limits": BOTH, "requests": BOTH}, {"limits": BOTH, "requests": BOTH}
    ).values():
        assert found["limits"].keys() == found["requests"].keys() == BOTH.keys()


def test_what_one_of_them_does_not_is_asked_of_none(added: Fragment) -> None:
    before = {one["name"]: one["resources"] for one in added.init_containers}
    assert resources(added, {"limits": {"cpu": "1"}}, {"limits": {"memory": "1Gi"}}) == before


@pytest.mark.parametrize(
    "own", [[ON_DISK], [ON_DISK, ON_DISK], [ON_DISK, {}]], ids=["the only one", "all", "one"]
)
@pytest.mark.parametrize(
    "spec", [{}, {"resources": {"limits": {"cpu": "2"}}}], ids=["", "that asks as a whole"]
)
def test_a_pod_that_limits_its_disk_gets_room_for_the_agents_files(
    added: Fragment, own: list[Json], spec: Json
) -> None:
    found = resources(added, *own, **spec)
    volumes = [volume["emptyDir"] for volume in added.volumes]
    on_disk = sum(size(one["sizeLimit"]) for one in volumes if one.get("medium") != "Memory")
    assert on_disk > size("2Gi")
    assert size(found["hopwatch-agent"]["limits"]["ephemeral-storage"]) >= on_disk
    assert size(found["hopwatch-instrumentation"]["requests"]["ephemeral-storage"]) < size("100Mi")


def test_a_pod_that_limits_no_disk_is_not_limited(added: Fragment) -> None:
    counted = {"cpu": "1", "memory": "1Gi"}
    for found in resources(added, {"limits": counted, "requests": counted}).values():
        assert "ephemeral-storage" not in found["limits"]
