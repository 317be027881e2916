"""Who owns a socket."""

from dataclasses import dataclass
from datetime import datetime

from hopwatch_agent.kernel.records import Memory, Usage
from hopwatch_agent.records import Place


@dataclass(frozen=True)
class ProcessView:
    """Who owns a socket; ``gone_at`` is when it was seen that the process had ended, ``counts_in``
    where it counts.

    ``usage`` and ``memory`` (of its cgroup) are None where the process is not visible to the agent; ``place`` is where it runs in Kubernetes.
    """

    pid: int | None
    command: str
    gone_at: datetime | None
    counts_in: str | None = None
    usage: Usage | None = None
    memory: Memory | None = None
    place: Place | None = None
