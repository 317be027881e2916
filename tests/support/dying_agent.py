"""``hopwatch agent`` that kills itself by SIGKILL in a certain stage of its work: ``dying_agent.py STAGE TIMES hopwatch agent ...``.

It dies when it comes to the stage for the so many-th time.
"""

import itertools
import os
import runpy
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hopwatch_agent.cleaning import Cleaner
from hopwatch_agent.landing import landing as landing_module
from hopwatch_agent.landing.files import FileStore
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.store.store import Store
from stages import COMMITTED, HEAD, LANDED, MERGED, STARTING, WRITING


def _always(*_arguments: Any) -> bool:
    return True


def _unlinks_segments(_cleaner: Any, files: Any, state: Any) -> bool:
    return any(index < state.segment for index in files.events)


def _is_within_a_head(_store: Any, draft: Any) -> bool:
    return any(process is not None and process.behind for process in draft.processes.changed.values())


@dataclass(frozen=True)
class Moment:
    """Before or after a call of ``owner.name``, if ``counts`` says so of its arguments."""

    owner: Any
    name: str
    after: bool
    counts: Callable[..., bool] = _always


MOMENTS = {
    STARTING: Moment(Store, "load", after=False),
    WRITING: Moment(landing_module, "write_rows", after=True),
    LANDED: Moment(Landing, "write", after=True),
    COMMITTED: Moment(Cleaner, "_unlink_segments", after=False, counts=_unlinks_segments),
    MERGED: Moment(FileStore, "merged", after=True),
    HEAD: Moment(Store, "commit", after=True, counts=_is_within_a_head),
}


def _die_at(moment: Moment, times: int) -> None:
    original = getattr(moment.owner, moment.name)
    come = itertools.count(1)

    def dying(*arguments: Any) -> Any:
        done = original(*arguments) if moment.after else None
        if moment.counts(*arguments) and next(come) == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return done if moment.after else original(*arguments)

    setattr(moment.owner, moment.name, dying)


def main() -> None:
    """Runs the command of the other arguments in this process."""
    stage, times, *command = sys.argv[1:]
    _die_at(MOMENTS[stage], int(times))
    sys.argv = command
    runpy.run_path(command[0], run_name="__main__")


if __name__ == "__main__":
    main()
