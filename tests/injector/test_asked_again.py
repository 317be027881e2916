"""Other webhooks change a pod after the injector did, and it is asked again."""

import copy
from typing import Any

import pytest
from pod_parts import ASKED, EVICTABLE, container, pod
from pods import KINDS

from tests.injector.conftest import TO_BE_ADDED, Injector, injector_adding
from tests.injector.test_kinds_of_pods import applied, named

Json = dict[str, Any]
OURS = "/opt/hopwatch/hopwatch/startup"
THEIRS = "/otel-auto-instrumentation-python/opentelemetry/instrumentation/auto_instrumentation"


def pythonpath(one: Json) -> list[str]:
    return [variable["value"] for variable in one["env"] if variable["name"] == "PYTHONPATH"]


@pytest.mark.parametrize("now", [f"{THEIRS}:{OURS}:/src", f"{THEIRS}:/src"])
def test_a_folder_that_was_put_before_ours_comes_behind_it(injector: Injector, now: str) -> None:
    asking = KINDS["with a PYTHONPATH of its own"].pod
    injected = applied(asking, injector.review(asking))
    changed = copy.deepcopy(injected)
    named(changed["spec"]["containers"][0]["env"])["PYTHONPATH"]["value"] = now
    again = applied(changed, injector.review(changed))
    assert pythonpath(again["spec"]["containers"][0]) == [f"{OURS}:{THEIRS}:/src"]
    assert "patch" not in injector.review(again)


def test_containers_that_others_add_are_theirs(injector: Injector) -> None:
    injected = applied(KINDS["bare"].pod, injector.review(KINDS["bare"].pod))
    injected["spec"]["containers"].append(container("proxy", env=[{"name": "PYTHONPATH", "value": "/proxy"}]))
    assert "patch" not in injector.review(injected)


def test_volumes_that_need_not_keep_a_node_are_named_beside_the_pods_own(injector: Injector) -> None:
    ours = TO_BE_ADDED["annotations"][EVICTABLE]
    for own, told in ((None, ours), ("scratch", f"scratch,{ours}"), (ours, ours)):
        asking = pod(annotations=ASKED if own is None else {**ASKED, EVICTABLE: own})
        assert applied(asking, injector.review(asking))["metadata"]["annotations"][EVICTABLE] == told


def test_a_value_that_the_chart_takes_from_elsewhere_is_replaced_as_a_whole(tmp_path: Any) -> None:
    preparing, agent = TO_BE_ADDED["initContainers"]
    source = {"configMapKeyRef": {"name": "settings", "key": "stop"}}
    elsewhere = agent | {"env": [{"name": "HOPWATCH_AGENT_STOP_SECONDS", "valueFrom": source}]}
    with injector_adding(tmp_path, TO_BE_ADDED | {"initContainers": [preparing, elsewhere]}) as other:
        asking = KINDS["bare"].pod
        after = named(applied(asking, other.review(asking))["spec"]["initContainers"])
    assert after["hopwatch-agent"]["env"] == [{"name": "HOPWATCH_AGENT_STOP_SECONDS", "value": "28"}]
