"""Kubernetes' own schemas, read once: for each object kubernetes-validate would read two megabytes of them anew."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from kubernetes_validate import utils

utils.schema_contents = cache(utils.schema_contents)


def require_valid(one: Mapping[str, Any], kubernetes: str) -> None:
    """Raise ValidationError for an object that this version of Kubernetes would not take, or of which it would pass over a part."""
    utils.validate(one, kubernetes, strict=True)
