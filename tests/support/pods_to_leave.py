"""Kinds of pods that the injector leaves as they are: each a name, the pod, and what whoever makes it is told."""

from pod_parts import ASKED, Kind, container, on_nodes, pod

TO_LEAVE: dict[str, Kind] = {
    "not asked for": Kind(pod(annotations=None)),
    "opted out of its namespace": Kind(pod(annotations={"hopwatch.dev/inject": "false"}), by="namespace"),
    "that names a container it does not have": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/containers": "aap"}),
        warned="aap; the pod's containers are app",
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
    "that listens where the agent would": Kind(
        pod(container(ports=[{"containerPort": 80}, {"containerPort": 8735}])), warned="port 8735"
    ),
    "for another architecture": Kind(pod(nodeSelector={"kubernetes.io/arch": "arm64"}), warned="arm64"),
    "for one of two architectures": Kind(
        pod(affinity=on_nodes("kubernetes.io/arch", ["amd64", "arm64"])), warned="amd64, arm64"
    ),
    "with a sequence that is none": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/sequence": "stmap"}),
        warned="must be one of stamp, count, bitcoin_core, vllm_kv_events, not 'stmap'",
    ),
    "already injected": Kind(
        pod(
            annotations={**ASKED, "hopwatch.dev/injected": "0.1.0"},
            initContainers=[container("hopwatch-agent", restartPolicy="Always")],
        )
    ),
    "of a template that was copied from an injected pod": Kind(
        pod(annotations={**ASKED, "hopwatch.dev/injected": "0.1.0"}), warned="has no container hopwatch-agent"
    ),
    "that makes another variable of its PYTHONPATH": Kind(
        pod(
            container(
                env=[
                    {"name": "PYTHONPATH", "value": "/app"},
                    {"name": "CONF", "value": "$(PYTHONPATH)/conf.yaml"},
                ]
            )
        ),
        warned="container app refers to $(PYTHONPATH)",
    ),
    "that is started by its PYTHONPATH": Kind(
        pod(
            container(
                env=[{"name": "PYTHONPATH", "value": "/app"}], command=["python", "$(PYTHONPATH)/main.py"]
            )
        ),
        warned="container app refers to $(PYTHONPATH)",
    ),
    "with a claim around ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/opt"}]),
            volumes=[{"name": "x", "persistentVolumeClaim": {"claimName": "tools"}}],
        ),
        warned="/opt, and hopwatch would at /opt/hopwatch",
    ),
    "with a folder of the host around ours": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/run", "mountPropagation": "Bidirectional"}]),
            volumes=[{"name": "x", "hostPath": {"path": "/run"}}],
        ),
        warned="/run, and hopwatch would at /run/hopwatch",
    ),
    "with a read-only /var/run": Kind(
        pod(
            container(volumeMounts=[{"name": "x", "mountPath": "/var/run", "readOnly": True}]),
            volumes=[{"name": "x", "emptyDir": {}}],
        ),
        warned="/run, and hopwatch would at /run/hopwatch",
    ),
    **{
        f"with a mount where ours would be, written as {path}": Kind(
            pod(
                container(volumeMounts=[{"name": "x", "mountPath": path}]),
                volumes=[{"name": "x", "emptyDir": {}}],
            ),
            warned="mounts something at /run/hopwatch",
        )
        for path in ("//run/hopwatch", "run/hopwatch", "/run/../run/hopwatch/", "/var/run/hopwatch")
    },
    "whose annotations leave no room": Kind(
        pod(annotations={**ASKED, "notes": "x" * (262_144 - 40)}), warned="its annotations leave no room"
    ),
    "for Windows, by what only such a pod says": Kind(
        pod(securityContext={"windowsOptions": {"hostProcess": True}}, hostNetwork=True)
    ),
    "for Windows nodes, by their old label": Kind(pod(nodeSelector={"beta.kubernetes.io/os": "windows"})),
    "for nodes that are none of Linux": Kind(
        pod(affinity=on_nodes("kubernetes.io/os", ["linux"], operator="NotIn"))
    ),
    "for another architecture, by its old label": Kind(
        pod(nodeSelector={"beta.kubernetes.io/arch": "arm64"}), warned="arm64"
    ),
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
