"""Who made a pod: the workload that people know it by."""

import re
from typing import Any

Json = dict[str, Any]
HASH_LABEL = "pod-template-hash"
OF_A_CRON_JOB = re.compile(r"(.+)-(\d{8})")
MINUTES = range(26_000_000, 40_000_000)
"""Since 1970, of the years 2019 to 2046: a date, like 20261126, is none of them."""


def owner_of(pod: Json) -> str | None:
    """Kind and name of its controller, like ``StatefulSet/feed``: of a Deployment's ReplicaSet, that of the Deployment, and of a
    CronJob's Job, which is called as that and the minute it was due at, that of the CronJob. None: it has none.
    """
    metadata = pod.get("metadata") or {}
    controllers = [one for one in metadata.get("ownerReferences") or () if one.get("controller")]
    if not controllers:
        return None
    kind, name = controllers[0]["kind"], controllers[0]["name"]
    # a Deployment names its ReplicaSets by itself and the hash of their template, which is a label of their pods as well
    template = (metadata.get("labels") or {}).get(HASH_LABEL)
    if kind == "ReplicaSet" and template and name.endswith(f"-{template}"):
        return f"Deployment/{name.removesuffix(f'-{template}')}"
    due = OF_A_CRON_JOB.fullmatch(name) if kind == "Job" else None
    if due is not None and int(due[2]) in MINUTES:
        return f"CronJob/{due[1]}"
    return f"{kind}/{name}"
