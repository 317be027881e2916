"""Numbers that change when a list does: whoever watches fetches anew only what has changed."""

from collections.abc import Collection
from dataclasses import dataclass

_KINDS = {
    "sockets": frozenset({"socket", "option", "endpoint", "process", "place", "proxy"}),
    "connections": frozenset({"socket", "connection", "endpoint", "process"}),
    "findings": frozenset({"finding", "socket", "process"}),
    "incidents": frozenset({"gap", "unroutable", "onset"}),
}


@dataclass
class Revisions:
    """Of what is listed, its numbers aside. They begin anew with the agent."""

    sockets: int = 0
    connections: int = 0
    findings: int = 0
    incidents: int = 0

    def note(self, kind: str) -> None:
        """An event of this kind is shown."""
        for listed, kinds in _KINDS.items():
            if kind in kinds:
                self.renew(listed)

    def forget(self, *forgotten: Collection[str]) -> None:
        """Some sockets are not listed any more."""
        if any(forgotten):
            for listed in ("sockets", "connections", "findings"):
                self.renew(listed)

    def renew(self, listed: str) -> None:
        """What is listed there has changed."""
        setattr(self, listed, getattr(self, listed) + 1)
