"""One event's part in a tick: whose it is, and what it changes."""

from dataclasses import dataclass
from functools import singledispatch

from hopwatch_agent import records
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import ProcessState


@dataclass(frozen=True)
class Step:
    """Whose events are applied, and to what."""

    process: ProcessState
    draft: Draft


@singledispatch
def update(event: records.Event, step: Step) -> None:
    """Most events change nothing but the record."""
