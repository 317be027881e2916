"""Who made a pod: the workload that people know it by."""

import re
from typing import Any

Json = dict[str, Any]
HASH_LABELS = {"Deployment": "pod-template-hash", "Rollout": "rollouts-pod-template-hash"}
"""By the kind of what makes ReplicaSets: the label that their pods get from it, Argo's as Kubernetes' own."""
OF_A_CRON_JOB = re.compile(r"(.+)-(\d{8})")
MINUTES = range(26_000_000, 40_000_000)
"""Since 1970, of the years 2019 to 2046: a date, like 20261126, is none of them."""


def owner_of(pod: Json) -> str | None:
    """Kind and name of its controller, like ``StatefulSet/feed``: of a ReplicaSet that of the Deployment or Rollout that made it, and of a
    CronJob's Job, which is called as that and the minute it was due at, that of the CronJob. None: it has none.
    """
    metadata = pod.get("metadata") or {}
    controllers = [one for one in metadata.get("ownerReferences") or () if one.get("controller")]
    if not controllers:
        return None
    kind, name = controllers[0]["kind"], controllers[0]["name"]
    if kind == "ReplicaSet":
        return _maker_of(name, metadata.get("labels") or {}) or f"{kind}/{name}"
    due = OF_A_CRON_JOB.fullmatch(name) if kind == "Job" else None
    if due is not None and int(due[2]) in MINUTES:
        return f"CronJob/{due[1]}"
    return f"{kind}/{name}"


def _maker_of(replica_set: str, labels: Json) -> str | None:
    """A ReplicaSet is called as what made it, and the hash of their template."""
    for kind, label in HASH_LABELS.items():
        template = labels.get(label)
        if template and replica_set.endswith(f"-{template}"):
            return f"{kind}/{replica_set.removesuffix(f'-{template}')}"
    return None
