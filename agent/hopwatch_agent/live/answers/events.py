"""What happened, one by one."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class EventView:
    """One event; ``id`` grows through the whole life of the agent's database."""

    id: int
    kind: str
    at: datetime
    host: str
    process: str | None
    n: int | None
    values: dict[str, Any]
