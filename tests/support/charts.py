"""The real helm, in its two versions, and what it makes of the chart."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

Json = dict[str, Any]

REPOSITORY = Path(__file__).parents[2]
CHART = REPOSITORY / "helm" / "hopwatch"
VALUES = {
    file.name.removesuffix("-values.yaml"): file for file in sorted((CHART / "ci").glob("*-values.yaml"))
}
VERSIONS = ("3", "4")
KUBERNETES = tuple(f"1.{minor}" for minor in range(28, 36))
OLDEST, OLDEST_WITH_NATIVE_SIDECARS, NEWEST = "1.28", "1.29", "1.35"


def helm(version: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run it. Skips the test where it is missing."""
    program = REPOSITORY / ".tools" / "helm" / version / "helm"
    if not program.exists():
        pytest.skip(f"no helm {version} in {program.parent}: scripts/test fetches it")
    return subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )


@cache
def rendered(version: str, chart: Path, *arguments: str | Path, kubernetes: str = "1.32") -> str:
    """Return what ``helm template`` prints, which is asked once for the same: the chart must not change."""
    place = ["--namespace", "watch", "--kube-version", kubernetes]
    done = helm(version, "template", "hw", chart, *place, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def each_kubernetes(*in_gate: str) -> list[Any]:
    """Every version as a parameter; the gate runs those that are named."""
    others = pytest.mark.extended("the other versions take a rendering each")
    return [pytest.param(one, marks=() if one in in_gate else others) for one in KUBERNETES]


def objects(text: str) -> list[Json]:
    """What was rendered, by kind and name."""
    found = [one for one in yaml.load_all(text, Loader=yaml.CSafeLoader) if one]
    return sorted(found, key=lambda one: (one["kind"], one["metadata"]["name"]))


def only(found: Sequence[Json], kind: str) -> Json:
    """The one of its kind."""
    (one,) = (one for one in found if one["kind"] == kind)
    return one


def pods_of(found: Sequence[Json]) -> list[Json]:
    """The specifications of all pods that these would make."""
    return [spec for one in found for spec in _specs(one)]


def spark_parts(found: Sequence[Json]) -> list[Json]:
    """The driver and the executors of each application of Spark, as its operator is told of them."""
    applications = [one["spec"] for one in found if one["kind"] == "SparkApplication"]
    applications += [one["spec"]["template"] for one in found if one["kind"] == "ScheduledSparkApplication"]
    return [one[part] for one in applications for part in ("driver", "executor")]


def _specs(item: Any) -> list[Json]:
    if isinstance(item, Mapping):
        here = [dict(item)] if isinstance(item.get("containers"), list) else []
        return here + [spec for value in item.values() for spec in _specs(value)]
    if isinstance(item, list):
        return [spec for value in item for spec in _specs(value)]
    return []


def fragment_in(found: Sequence[Json]) -> Json:
    """What the injector adds, as the chart has written it."""
    (fragment,) = (one["data"]["fragment.json"] for one in found if "fragment.json" in one.get("data", {}))
    added: Json = json.loads(fragment)
    return added
