"""What the application calls the endpoints that monitor events name.

From the second connection on, libzmq (4.3.5, by ``tests/instrumentation/test_endpoint_names.py``) names an endpoint by the address that it was
resolved to: ``tcp://feed:5556`` becomes ``tcp://10.0.0.7:5556``, and another address again where the name was moved.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

TCP = "tcp://"
MOST_ADDRESSES = 1000
"""A name that is moved again and again must not fill the application's memory: the oldest are forgotten."""


@dataclass(eq=False)
class Called:
    """Of one socket: which names its connections had, and which address each was resolved to."""

    names: dict[str, bool] = field(default_factory=dict)
    """Whether it is known where the name led."""
    resolved: dict[str, str] = field(default_factory=dict)

    def name(self, endpoint: str, given: Collection[str]) -> str:
        """The endpoint as the application gave it; ``given``: those that it is known to have given."""
        if endpoint in given or not is_address(endpoint):
            return endpoint
        known = self.resolved.get(endpoint)
        if known is not None:
            return known
        port = _port(endpoint)
        candidates = [name for name, led in self.names.items() if not led and _port(name) == port]
        return candidates[0] if len(candidates) == 1 else endpoint

    def learn(self, name: str, remote: str | None) -> None:
        """A connection of this name came up, to such an address (None: not known)."""
        if not name.startswith(TCP) or is_address(name):
            return
        self.names[name] = self.names.get(name, False) or remote is not None
        if remote is not None:
            self.resolved.pop(TCP + remote, None)
            self.resolved[TCP + remote] = name
            if len(self.resolved) > MOST_ADDRESSES:
                del self.resolved[next(iter(self.resolved))]


def is_address(endpoint: str) -> bool:
    """Whether it is a TCP endpoint without a name that would have to be resolved."""
    host = endpoint.removeprefix(TCP).rpartition(":")[0]
    numbers = host.startswith("[") or not host.strip("0123456789.")
    return endpoint.startswith(TCP) and bool(host) and numbers


def _port(endpoint: str) -> str:
    return endpoint.rpartition(":")[2]
