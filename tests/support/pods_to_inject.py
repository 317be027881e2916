"""Kinds of pods that the injector changes: each a name, the pod, and which of its containers are instrumented."""

from pod_parts import (
    ASKED,
    EVICTABLE,
    FROM_A_SECRET,
    OURS,
    Kind,
    container,
    labelled,
    on_nodes,
    owned_by,
    pod,
)

TO_INJECT: dict[str, Kind] = {
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
    "asked for by its namespace": Kind(pod(annotations=None), ("app",), by="namespace"),
    "asked for by a namespace, without metadata": Kind(
        {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [container()]}}, ("app",), by="namespace"
    ),
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
    "with a volume around ours, and a secret beside it": Kind(
        pod(
            container(
                volumeMounts=[{"name": "run", "mountPath": "/run"}, {"name": "x", "mountPath": "/opt/hop"}]
            ),
            volumes=[{"name": "run", "emptyDir": {}}, {"name": "x", "secret": {"secretName": "x"}}],
        ),
        ("app",),
    ),
    "that listens elsewhere": Kind(
        pod(container(ports=[{"containerPort": 80}, {"containerPort": 8735, "protocol": "UDP"}])), ("app",)
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
    "with a token of its account": Kind(
        pod(
            container(
                volumeMounts=[
                    {
                        "name": "x",
                        "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                        "readOnly": True,
                    }
                ]
            ),
            volumes=[{"name": "x", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}],
        ),
        ("app",),
    ),
    "all of whose containers limit their CPU": Kind(
        pod(
            container(resources={"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"memory": "1Mi"}}),
            initContainers=[container("first", resources={"limits": {"cpu": "1"}})],
        ),
        ("app",),
    ),
    "one of whose containers limits its disk": Kind(
        pod(container(resources={"limits": {"ephemeral-storage": "100Mi"}}), container("other")),
        ("app", "other"),
    ),
    "with an annotation that there is not": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/sequnce": "stamp"}), ("app",), warned="hopwatch.dev/sequnce"
    ),
    "that speaks of $(PYTHONPATH) without meaning it": Kind(
        pod(container(args=["$$(PYTHONPATH)"], env=[{"name": "PYTHONPATH", "value": "/src"}])),
        ("app",),
        pythonpath=f"{OURS}:/src",
    ),
    "of a Rollout": Kind(
        owned_by("ReplicaSet", labelled(pod(), {"rollouts-pod-template-hash": "6d4cf"}), name="quotes-6d4cf"),
        ("app",),
    ),
    "that names volumes that need not keep a node": Kind(
        pod(annotations={**ASKED, EVICTABLE: "scratch"}, volumes=[{"name": "scratch", "emptyDir": {}}]),
        ("app",),
    ),
}
