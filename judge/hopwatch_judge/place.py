"""Where a socket's process runs in Kubernetes, in words."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """What is known of it. ``owner``: kind and name of the workload, like ``StatefulSet/feed``."""

    namespace: str | None = None
    pod: str | None = None
    container: str | None = None
    node: str | None = None
    owner: str | None = None

    @property
    def text(self) -> str:
        """Such as: container app of pod trading/feed-0 (StatefulSet/feed), on node n1."""
        pod = "/".join(part for part in (self.namespace, self.pod) if part)
        parts = [f"container {self.container}"] if self.container else []
        parts += [f"pod {pod}"] if pod else []
        text = " of ".join(parts) or "a pod"
        text += f" ({self.owner})" if self.owner else ""
        return text + (f", on node {self.node}" if self.node else "")
