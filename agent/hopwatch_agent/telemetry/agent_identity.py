"""Which agent tells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Identity:
    """One agent: the host that it runs on, and the name of its database, which it keeps over restarts."""

    host: str
    instance: str
