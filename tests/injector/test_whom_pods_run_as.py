"""What is added has to start as the pod's own user where the chart leaves users to the platform."""

from pathlib import Path
from typing import Any

import pytest
from charts import CHART, VALUES, fragment_in, objects, rendered
from pod_parts import container, pod

from tests.injector.conftest import injector_adding

Json = dict[str, Any]
ROOT, OTHER = {"runAsUser": 0}, {"runAsUser": 1000}


def response(folder: Path, agent_user: str, asking: Json) -> Json:
    values = ("--values", VALUES["s3"], "--set-json", f"agent.user={agent_user}")
    added = fragment_in(objects(rendered("4", CHART, *values)))
    with injector_adding(folder, added) as serving:
        answer: Json = serving.review(asking)
    return answer


def test_a_pod_of_root_is_left_as_it_is_where_what_is_added_would_never_start(tmp_path: Path) -> None:
    answer = response(tmp_path, "null", pod(securityContext=ROOT))
    assert "patch" not in answer
    assert "runAsUser: 0" in answer["warnings"][0]
    assert "agent.user" in answer["warnings"][0]


@pytest.mark.parametrize(
    ("agent_user", "asking"),
    [
        ("65532", pod(securityContext=ROOT)),
        ("null", pod(securityContext=OTHER)),
        ("null", pod(container(securityContext=ROOT))),
    ],
    ids=["with a user of the chart's", "of another user", "of which one container alone is root's"],
)
def test_others_get_it(tmp_path: Path, agent_user: str, asking: Json) -> None:
    answer = response(tmp_path, agent_user, asking)
    assert "patch" in answer
    assert "warnings" not in answer
