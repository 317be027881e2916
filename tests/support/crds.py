"""Kinds that a cluster has where somebody has installed them: Kubernetes has no schema of them, those who made them have."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pydantic import ValidationError

Json = dict[str, Any]

TYPES = Path(__file__).parents[2] / ".tools" / "crds"
OF_TYPESCRIPT = {
    "cert-manager.io/v1": "@kubernetes-models/cert-manager/cert-manager.io/v1",
    "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
}
OF_SPARK = "sparkoperator.k8s.io/v1beta2"
STRICT = ("--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--moduleResolution", "nodenext")


def is_of_others(one: Json) -> bool:
    """Whether Kubernetes itself does not know it."""
    return one["apiVersion"] in {*OF_TYPESCRIPT, OF_SPARK}


def misfits(found: Sequence[Json]) -> list[str]:
    """What its operator would refuse or pass over of each, in words; fields that it does not know too."""
    of_spark = [one for one in found if one["apiVersion"] == OF_SPARK]
    typed = [one for one in found if one["apiVersion"] in OF_TYPESCRIPT]
    return [
        *(word for one in of_spark for word in _misfits_of_spark(one)),
        *(_compiled(typed) if typed else ()),
    ]


def _misfits_of_spark(one: Json) -> list[str]:
    import kubeflow_spark_api.models as spark_models  # takes two seconds

    model = getattr(spark_models, f"SparkV1beta2{one['kind']}")
    try:
        known = model.from_dict(one).to_dict()
    except ValidationError as error:
        return [str(error)]
    return _left_out(one, known, one["kind"])


def _left_out(said: Any, known: Any, place: str) -> list[str]:
    """What is said and not known."""
    if isinstance(said, dict) and isinstance(known, dict):
        missing = [f"{place}.{name}" for name in said if name not in known]
        shared = [name for name in said if name in known]
        return missing + [
            word for name in shared for word in _left_out(said[name], known[name], f"{place}.{name}")
        ]
    if isinstance(said, list) and isinstance(known, list):
        pairs = enumerate(zip(said, known, strict=True))
        return [
            word for place_in, (one, other) in pairs for word in _left_out(one, other, f"{place}[{place_in}]")
        ]
    return [] if said == known else [f"{place}: {said!r} is taken for {known!r}"]


def _compiled(found: Sequence[Json]) -> list[str]:
    """What TypeScript's compiler has against them."""
    compiler = TYPES / "node_modules" / "typescript" / "bin" / "tsc"
    if not compiler.exists():
        pytest.skip(f"no types of operators in {TYPES}: scripts/test fetches them")
    with TemporaryDirectory(dir=TYPES) as folder:
        program = Path(folder, "objects.ts")
        program.write_text("\n".join(_declared(place, one) for place, one in enumerate(found)))
        done = subprocess.run(
            ["node", compiler, *STRICT, program], capture_output=True, text=True, check=False
        )
    return done.stdout.splitlines()


def _declared(place: int, one: Json) -> str:
    kind = f"I{one['kind']}"
    module = f"{OF_TYPESCRIPT[one['apiVersion']]}/{one['kind']}"
    return (
        f"import type {{ {kind} as Kind{place} }} from {json.dumps(module)};\n"
        f"export const object{place}: Kind{place} = {json.dumps(one)};"
    )
