"""Pods of many kinds, as the API server shows them to a webhook: each a name, the pod, and what should become of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
ASKED = {"hopwatch.dev/inject": "true"}


@dataclass(frozen=True)
class Kind:
    """``instrumented``: names of its containers that are to be; none: it stays as it is. ``by``: where the API server asks.

    ``warned``: a word of what whoever makes it is told. ``pythonpath``: of the first of its containers then.
    """

    pod: Json
    instrumented: tuple[str, ...] = ()
    by: str = "annotation"
    warned: str | None = None
    pythonpath: str = "/opt/hopwatch/hopwatch/startup"
    request: Mapping[str, Any] = field(default_factory=dict)


def pod(*containers: Json, annotations: Mapping[str, str] | None = ASKED, **spec: Any) -> Json:
    metadata: Json = {"generateName": "feed-", "namespace": "trading"}
    if annotations is not None:
        metadata["annotations"] = dict(annotations)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers or (container(),)), **spec},
    }


def container(name: str = "app", **more: Any) -> Json:
    return {"name": name, "image": "example/app", **more}


def labelled(made: Json, labels: Mapping[str, str]) -> Json:
    return made | {"metadata": made["metadata"] | {"labels": dict(labels)}}


def owned_by(kind: str, made: Json, name: str = "nightly", **spec: Any) -> Json:
    owner = {"apiVersion": "batch/v1", "kind": kind, "name": name, "uid": "77", "controller": True}
    return made | {
        "metadata": made["metadata"] | {"ownerReferences": [owner]},
        "spec": made["spec"] | spec,
    }


def on_nodes(label: str, values: list[str], *others: tuple[str, list[str]]) -> Json:
    """One of these has to hold."""
    terms = [
        {"matchExpressions": [{"key": key, "operator": "In", "values": wanted}]}
        for key, wanted in ((label, values), *others)
    ]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


FROM_A_SECRET = {"name": "PYTHONPATH", "valueFrom": {"secretKeyRef": {"name": "paths", "key": "python"}}}
OURS = "/opt/hopwatch/hopwatch/startup"

KINDS: dict[str, Kind] = {
    "bare": Kind(pod(), ("app",)),
    "without metadata but what asks": Kind(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"annotations": ASKED},
            "spec": {"containers": [container()]},
        },
        ("app",),
    ),
    "not asked for": Kind(pod(annotations=None)),
    "asked for by its namespace": Kind(pod(annotations=None), ("app",), by="namespace"),
    "asked for by a namespace, without metadata": Kind(
        {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container()]}}, ("app",), by="namespace"
    ),
    "opted out of its namespace": Kind(pod(annotations={"hopwatch.dev/inject": "false"}), by="namespace"),
    "of a Job": Kind(owned_by("Job", pod(), restartPolicy="Never"), ("app",)),
    "of a CronJob's Job": Kind(
        owned_by("Job", pod(), restartPolicy="OnFailure", activeDeadlineSeconds=60), ("app",)
    ),
    "of a CronJob": Kind(
        owned_by("Job", pod(), name="nightly-29384756", restartPolicy="OnFailure"), ("app",)
    ),
    "of a Job with a date": Kind(
        owned_by("Job", pod(), name="load-20261126", restartPolicy="Never"), ("app",)
    ),
    "of a ReplicaSet": Kind(owned_by("ReplicaSet", pod()), ("app",)),
    "of a Deployment": Kind(
        owned_by("ReplicaSet", labelled(pod(), {"pod-template-hash": "6d4cf"}), name="quotes-6d4cf"), ("app",)
    ),
    "of a DaemonSet on the host's network": Kind(owned_by("DaemonSet", pod(hostNetwork=True)), ("app",)),
    "with several containers": Kind(pod(container("app"), container("worker")), ("app", "worker")),
    "with several containers, one named": Kind(
        pod(
            container("app"), container("worker"), annotations={**ASKED, "hopwatch.dev/containers": "worker"}
        ),
        ("worker",),
    ),
    "that names a container it does not have": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/containers": "aap"}),
        warned="aap; the pod's containers are app",
    ),
    "with volumes and mounts of its own": Kind(
        pod(
            container(volumeMounts=[{"name": "data", "mountPath": "/data"}]),
            volumes=[{"name": "data", "emptyDir": {}}],
        ),
        ("app",),
    ),
    "with init containers of its own": Kind(
        pod(initContainers=[container("migrate"), container("proxy", restartPolicy="Always")]), ("app",)
    ),
    "with a PYTHONPATH of its own": Kind(
        pod(container(env=[{"name": "PYTHONPATH", "value": "/src:/lib"}])),
        ("app",),
        pythonpath=f"{OURS}:/src:/lib",
    ),
    "with an empty PYTHONPATH": Kind(pod(container(env=[{"name": "PYTHONPATH"}])), ("app",)),
    "with a PYTHONPATH from a secret": Kind(
        pod(container(env=[FROM_A_SECRET])), ("app",), pythonpath=f"{OURS}:$(HOPWATCH_PYTHONPATH_BEFORE)"
    ),
    "with variables from a config map": Kind(
        pod(container(envFrom=[{"configMapRef": {"name": "settings"}}])),
        ("app",),
        pythonpath=f"{OURS}:$(PYTHONPATH)",
    ),
    "with a journal directory of its own": Kind(
        pod(container(env=[{"name": "HOPWATCH_DIR", "value": "/mine"}])),
        ("app",),
        warned="container app has a HOPWATCH_DIR of its own",
    ),
    "with our journal directory": Kind(
        pod(container(env=[{"name": "HOPWATCH_DIR", "value": "/run/hopwatch/"}])), ("app",)
    ),
    "with a mount inside of ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/opt/hopwatch/plugins"}]),
            volumes=[{"name": "x", "emptyDir": {}}],
        ),
        warned="/opt/hopwatch/plugins, and hopwatch would at /opt/hopwatch",
    ),
    "with a read-only mount around ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/opt", "readOnly": True}]),
            volumes=[{"name": "x", "emptyDir": {}}],
        ),
        warned="/opt, and hopwatch would at /opt/hopwatch",
    ),
    "with a config map around ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/opt/"}]),
            volumes=[{"name": "x", "configMap": {"name": "settings"}}],
        ),
        warned="/opt, and hopwatch would at /opt/hopwatch",
    ),
    "with a read-only claim around ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/opt"}]),
            volumes=[{"name": "x", "persistentVolumeClaim": {"claimName": "conda", "readOnly": True}}],
        ),
        warned="/opt, and hopwatch would at /opt/hopwatch",
    ),
    "with a volume around ours, and a secret beside it": Kind(
        pod(
            container(
                volumeMounts=[{"name": "run", "mountPath": "/run"}, {"name": "x", "mountPath": "/opt/hop"}]
            ),
            volumes=[{"name": "run", "emptyDir": {}}, {"name": "x", "secret": {"secretName": "x"}}],
        ),
        ("app",),
    ),
    "that listens where the agent would": Kind(
        pod(container(ports=[{"containerPort": 80}, {"containerPort": 8735}])), warned="port 8735"
    ),
    "that listens elsewhere": Kind(
        pod(container(ports=[{"containerPort": 80}, {"containerPort": 8735, "protocol": "UDP"}])), ("app",)
    ),
    "for another architecture": Kind(pod(nodeSelector={"kubernetes.io/arch": "arm64"}), warned="arm64"),
    "for one of two architectures": Kind(
        pod(affinity=on_nodes("kubernetes.io/arch", ["amd64", "arm64"])), warned="amd64, arm64"
    ),
    "for our architecture, of two": Kind(
        pod(
            nodeSelector={"kubernetes.io/arch": "amd64"},
            affinity=on_nodes("kubernetes.io/arch", ["amd64", "arm64"]),
        ),
        ("app",),
    ),
    "for nodes of either architecture or of a zone": Kind(
        pod(affinity=on_nodes("kubernetes.io/arch", ["arm64"], ("topology.kubernetes.io/zone", ["a"]))),
        ("app",),
    ),
    "with a sequence that is none": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/sequence": "stmap"}),
        warned="must be one of stamp, count, bitcoin_core, vllm_kv_events, not 'stmap'",
    ),
    "that is guaranteed what it asks for": Kind(
        pod(
            container(
                resources={
                    "limits": {"cpu": "1", "memory": "1Gi"},
                    "requests": {"cpu": "1000m", "memory": "1024Mi"},
                }
            )
        ),
        ("app",),
    ),
    "already injected": Kind(pod(annotations={**ASKED, "hopwatch.dev/injected": "0.1.0"})),
    "whose own chart brings an agent": Kind(
        pod(initContainers=[container("hopwatch-agent", restartPolicy="Always")]),
        warned="hopwatch-agent already",
    ),
    "with a mount where ours would be": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/run/hopwatch/"}]),
            volumes=[{"name": "x", "emptyDir": {}}],
        ),
        warned="mounts something at /run/hopwatch",
    ),
    "with a volume of our name": Kind(
        pod(volumes=[{"name": "hopwatch-journal", "emptyDir": {}}]), warned="hopwatch-journal already"
    ),
    "for Windows": Kind(pod(os={"name": "windows"})),
    "for Windows nodes": Kind(pod(nodeSelector={"kubernetes.io/os": "windows"})),
    "for Windows nodes, by affinity": Kind(pod(affinity=on_nodes("kubernetes.io/os", ["windows"]))),
    "that a node shows": Kind(pod(annotations={**ASKED, "kubernetes.io/config.mirror": "91ab"})),
    "that gets an ephemeral container": Kind(
        pod(ephemeralContainers=[container("debugger")]),
        request={"operation": "UPDATE", "subResource": "ephemeralcontainers"},
    ),
    "that is changed": Kind(pod(), request={"operation": "UPDATE"}),
    "that is asked for by a word that is none": Kind(
        pod(annotations={"hopwatch.dev/inject": "yes please"}), warned="yes please"
    ),
}
