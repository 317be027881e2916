"""Names that pods bear, and by which they are known again."""

PREFIX = "hopwatch.dev"

INJECT = f"{PREFIX}/inject"
"""Annotation of a pod: "true" or "false", whatever its namespace says."""

CONTAINERS = f"{PREFIX}/containers"
"""Annotation: names of the containers to instrument, by comma (default: all but those that only prepare)."""

SEQUENCE = f"{PREFIX}/sequence"
"""Annotation: ``HOPWATCH_SEQUENCE`` of those containers."""

TOPIC = f"{PREFIX}/topic"
"""Annotation: ``HOPWATCH_TOPIC`` of those containers."""

INJECTED = f"{PREFIX}/injected"
"""Annotation that an injected pod bears: the version that did it."""

OWNER = f"{PREFIX}/owner"
"""Annotation: kind and name of the workload that a pod is of, which its containers take over into their environment."""

EVICTABLE = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"
"""Annotation: volumes, by comma, for which the cluster's autoscaler need not keep a node."""

MIRRORED = "kubernetes.io/config.mirror"
"""Annotation of what shows a pod that a node started by itself: it cannot be changed."""

OS_LABELS = ("kubernetes.io/os", "beta.kubernetes.io/os")
ARCHITECTURE_LABELS = ("kubernetes.io/arch", "beta.kubernetes.io/arch")
"""Of nodes, which bear both."""
AGENT = "hopwatch-agent"
"""The agent's container."""

INSTRUMENTATION = "hopwatch-instrumentation"
"""The volume that each instrumented container mounts."""

PYTHONPATH = "PYTHONPATH"
PYTHONPATH_BEFORE = "HOPWATCH_PYTHONPATH_BEFORE"
"""The application's own, where Kubernetes takes that from elsewhere."""

JOURNAL_DIRECTORY = "HOPWATCH_DIR"
LISTEN = "HOPWATCH_AGENT_LISTEN"
STOP_SECONDS = "HOPWATCH_AGENT_STOP_SECONDS"
CONTAINER_NAME = "K8S_CONTAINER_NAME"
