"""In YAML, a name without a value takes a default away: what the chart needs is asked for by name, and the rest is as if it were empty."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
import yaml
from charts import CHART, Json, fragment_in, helm, objects
from crds import is_of_others
from hopwatch_injector.agent_settings import require_agent_settings
from hopwatch_injector.fragment import read_fragment
from hopwatch_injector.patch import patch
from hopwatch_injector.sound import require_sound
from hopwatch_injector.wishes import Wishes
from kubernetes_schemas import require_valid
from pod_rules import broken
from pods import KINDS

from tests.injector.conftest import write

ALL_PARTS = (
    "landing.uri=s3://events,analysis.kind=CronJob,agent.openToOthers=metrics,"
    "monitoring.podMonitor.enabled=true,monitoring.prometheusRule.enabled=true,monitoring.dashboard.enabled=true"
)
CLUSTER = "1.32"


single = pytest.mark.extended("each of a hundred single values takes a rendering")


def paths(values: Json, before: str = "") -> Iterator[Any]:
    """Of what holds other values, and of all values."""
    for name, value in values.items():
        holds_others = isinstance(value, dict) and "." not in "".join(value)
        yield pytest.param(f"{before}{name}", marks=() if holds_others and value else single)
        if holds_others:
            yield from paths(value, f"{before}{name}.")


PATHS = tuple(paths(yaml.safe_load((CHART / "values.yaml").read_text())))


@pytest.mark.parametrize("path", PATHS)
def test_a_value_of_nothing_is_asked_for_or_is_like_an_empty_one(path: str, tmp_path: Path) -> None:
    place = ("--kube-version", CLUSTER, "--set", ALL_PARTS)
    done = helm("4", "template", "hw", CHART, *place, "--set", f"{path}=null")
    if done.returncode != 0:
        assert path.rpartition(".")[2] in done.stderr
        assert "nil pointer" not in done.stderr
        return
    found = objects(done.stdout)
    for one in found:
        if not is_of_others(one):
            require_valid(one, CLUSTER)
    fragment = read_fragment(write(tmp_path, fragment_in(found)))
    require_sound(fragment)
    require_agent_settings(fragment)
    bare = KINDS["bare"].pod
    made = jsonpatch.apply_patch(copy.deepcopy(bare), patch(bare, fragment, Wishes(inject=True)))
    require_valid(made, CLUSTER)
    assert broken(made) == []
    assert "<no value>" not in json.dumps([*found, fragment_in(found)], ensure_ascii=False)
