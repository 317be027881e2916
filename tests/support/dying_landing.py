"""Lands and merges on an agent's folders, and is killed by SIGKILL at the step that it is told."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from hopwatch_agent.landing import landing as landing_module
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.files import FileStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.merger import Merger, MergeRule
from hopwatch_agent.landing.place import LocalPlace

STEPS: dict[str, tuple[Any, str, bool]] = {
    "before_landing": (Landing, "write", False),
    "half_a_file_written": (landing_module, "write_rows", True),
    "landed_but_not_forgotten": (Landing, "write", True),
    "before_merging": (Landing, "merge", False),
    "half_a_merged_file_written": (landing_module, "write_tables", True),
    "merged_but_not_noted": (Landing, "merge", True),
    "merge_noted": (FileStore, "merged", True),
    "a_part_removed": (LocalPlace, "remove", True),
}
"""What is called, and whether the end comes after it or before."""

MERGE_RULE = MergeRule(seconds=3600, size=10_000_000)


def main() -> None:
    """Arguments: the agent's data, the landing folder, the step."""
    data, landed, step = sys.argv[1:]
    _die_at(*STEPS[step])
    store, landing = BatchStore(Path(data)), Landing(landed)
    Lander(store, landing).run_once(lambda _rows: None)
    merger = Merger(store, landing, MERGE_RULE)
    for _ in range(20):
        merger.run_once()


def _die_at(owner: Any, name: str, after: bool) -> None:
    original = getattr(owner, name)

    def dying(*arguments: Any) -> None:
        if after:
            original(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, dying)


if __name__ == "__main__":
    main()
