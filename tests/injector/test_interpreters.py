"""What an interpreter makes of the environment that it gets in an injected pod: it is instrumented, and finds the application's own modules."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kubelet import filled
from pod_parts import ASKED, FROM_A_SECRET, container, pod

from tests.injector.conftest import Injector
from tests.injector.test_kinds_of_pods import applied

Json = dict[str, Any]
INSTRUMENTATION = Path(__file__).parents[2] / "instrumentation"
ASK = "import sys, zmq, told; print(told.BY, 'hopwatch' in sys.modules)"
OWN = {"paths": {"python": "OWN", "PYTHONPATH": "OWN"}}
"""A secret and a config map with the application's folder."""


@pytest.mark.parametrize(
    "asking",
    [
        container(env=[{"name": "PYTHONPATH", "value": "OWN"}]),
        container(env=[FROM_A_SECRET]),
        container(envFrom=[{"configMapRef": {"name": "paths"}}]),
        container(
            envFrom=[{"secretRef": {"name": "paths"}}], env=[{"name": "PYTHONPATH", "value": "$(PYTHONPATH)"}]
        ),
    ],
    ids=["said", "from a secret", "from a config map", "from a secret, and said"],
)
def test_it_is_instrumented_and_finds_its_own(injector: Injector, tmp_path: Path, asking: Json) -> None:
    (tmp_path / "told.py").write_text("BY = 'the application'")
    whole = pod(asking, annotations=ASKED)
    injected = applied(whole, injector.review(whole))
    environment = filled(injected["spec"]["containers"][0], injected, OWN)
    here = environment["PYTHONPATH"].replace("OWN", str(tmp_path))
    ours = "/opt/hopwatch/"
    assert here.startswith(ours)
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={
            "HOPWATCH_DIR": str(tmp_path / "journal"),
            "PYTHONPATH": here.replace(ours, f"{INSTRUMENTATION}/"),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == ["the", "application", "True"]
