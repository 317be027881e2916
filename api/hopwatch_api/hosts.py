"""For which names requests are answered: a page of another site that a browser shows must not reach the agent by a name that was made to
lead here (DNS rebinding).
"""

from collections.abc import Iterable

from hopwatch_api.listening import address_of

_ALWAYS = ("localhost",)


class Hosts:
    """The names of this agent. An address is always one: no name was asked for, so none can have been made to lead here."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name.lower().rstrip(".") for name in (*_ALWAYS, *names))

    def holds(self, header: bytes | None) -> bool:
        """Whether the Host header of a request names this agent."""
        if header is None:
            return False
        name = _without_port(header.decode("latin-1").strip().lower()).rstrip(".")
        return name in self._names or _is_address(name)


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_address(name: str) -> bool:
    try:
        address_of(name)
    except ValueError:
        return False
    return True
