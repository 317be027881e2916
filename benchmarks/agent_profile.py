"""Where the time of an ingest goes: the agent's own ticks and landing, in one thread, under cProfile."""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from agent_under_test import Journal
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.live.board import Board
from hopwatch_agent.settings.sections import JournalSettings
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store
from hopwatch_agent.tick import Ticker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gaps", type=int, default=100_000)
    parser.add_argument("--lines", type=int, default=15)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    for name in ("journal", "data"):
        (folder / name).mkdir(mode=0o700)
    journal = Journal(folder / "journal")
    journal.gaps(arguments.gaps)
    journal.flush()
    prepare(folder / "data")
    store = Store(folder / "data")
    tables = store.load()
    ticker = Ticker(JournalSettings(folder / "journal", "bench"), store, tables, Board(tables))
    lander = Lander(BatchStore(folder / "data"), Landing(str(folder / "landed")))
    profiled("reading and keeping", lambda: tick_until_read(ticker), arguments.lines)
    profiled("landing", lambda: land(lander), arguments.lines)
    shutil.rmtree(folder)


def tick_until_read(ticker: Ticker) -> None:
    while ticker.run_once():
        pass


def land(lander: Lander) -> None:
    error = lander.run_once(lambda _rows: None)
    assert error is None, error


def profiled(title: str, work: Callable[[], None], lines: int) -> None:
    profile = cProfile.Profile()
    profile.runcall(work)
    print(f"# {title}")
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(lines)


if __name__ == "__main__":
    main()
