"""Who tells: the attributes of the resource. What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say comes first."""

import platform
from collections.abc import Mapping

from hopwatch.version import VERSION
from opentelemetry.sdk.resources import OTELResourceDetector, Resource

from hopwatch_agent.telemetry.agent_identity import Identity

KUBERNETES = {
    "k8s.pod.name": ("K8S_POD_NAME", "OTEL_RESOURCE_ATTRIBUTES_POD_NAME"),
    "k8s.pod.uid": ("K8S_POD_UID", "OTEL_RESOURCE_ATTRIBUTES_POD_UID"),
    "k8s.namespace.name": ("K8S_NAMESPACE_NAME",),
    "k8s.node.name": ("K8S_NODE_NAME", "OTEL_RESOURCE_ATTRIBUTES_NODE_NAME"),
    "k8s.container.name": ("K8S_CONTAINER_NAME",),
}
"""The variables by which a pod's specification hands over what it knows (``fieldRef``); the second ones are the OpenTelemetry operator's."""

OWNER = ("hopwatch.owner", "K8S_OWNER")
"""Whatever its kind: the conventions have names for Kubernetes' own kinds alone, and an Argo Rollout is none of them."""
WORKLOADS = {
    "CronJob": "k8s.cronjob.name",
    "DaemonSet": "k8s.daemonset.name",
    "Deployment": "k8s.deployment.name",
    "Job": "k8s.job.name",
    "ReplicaSet": "k8s.replicaset.name",
    "StatefulSet": "k8s.statefulset.name",
}
"""What the semantic conventions call a workload, by its kind; the owner is named like ``StatefulSet/feed``."""


def resource_of(identity: Identity, environ: Mapping[str, str]) -> Resource:
    """The resource of all that an agent tells."""
    told = {
        "service.name": "hopwatch-agent",
        "service.version": VERSION,
        "service.instance.id": identity.instance,
        "host.name": identity.host,
        "os.type": platform.system().lower(),
    }
    for attribute, variables in KUBERNETES.items():
        value = next((environ[name] for name in variables if environ.get(name)), None)
        if value:
            told[attribute] = value
    told |= _of_the_owner(environ)
    # create() would let an instance id of chance and the service's default name win
    return Resource.create(told).merge(OTELResourceDetector().detect())


def _of_the_owner(environ: Mapping[str, str]) -> dict[str, str]:
    attribute, variable = OWNER
    owner = environ.get(variable, "")
    kind, _, name = owner.partition("/")
    told = {attribute: owner} if owner else {}
    if name and kind in WORKLOADS:
        told[WORKLOADS[kind]] = name
    return told
