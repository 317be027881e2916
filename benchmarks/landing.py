"""What an agent lands in an hour, in files and bytes, as it lands and after merging; and the memory that a large batch takes.

The hour is run through the agent's own parts as fast as they go, on a folder.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hopwatch_agent.landing.batches import ROWS_FORMED_AT_ONCE, BatchStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.merger import Merger, MergeRule
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.state import Row, Values
from hopwatch_agent.settings.options import Options
from hopwatch_agent.store.database import prepare
from hopwatch_agent.store.store import Store

SECONDS = 3600
SOCKETS = 100
BEGINNING = 1_790_000_000 * 10**9
RATES = (0, 1, 100)


def row(number: int, rate: int) -> Row:
    """Of ten rows, five are counters, four lanes and one a gap, of sockets that take turns."""
    socket = f"{number % SOCKETS:016x}"
    at = BEGINNING + number * 10**9 // rate
    turn = number % 10
    if turn < 5:
        values: Values = {"socket": socket, "final": False, **dict.fromkeys(COUNTERS, 0)}
        values |= {"sent": number, "sent_bytes": number * 64}
        return Row("counters", at, "web-1", "0" * 16, None, values)
    if turn < 9:
        lane: Values = {"socket": socket, "stream": socket, "lane": 0, "role": "send", "state": "sample"}
        return Row("lane", at, "web-1", "0" * 16, None, lane | {"count": number, "first": 0, "next": number})
    gap: Values = {
        "socket": socket,
        "stream": socket,
        "lane": 0,
        "action": "gap",
        "first": number,
        "last": number,
    }
    return Row("gap", at, "web-1", "0" * 16, number, gap)


def hour(rate: int, folder: Path) -> dict[str, float]:
    """An hour of so many rows a second."""
    options = Options()
    prepare(folder)
    store, batches = Store(folder), BatchStore(folder)
    landing = Landing(str(folder / "landed"))
    lander = Lander(batches, landing)
    began, step, number = time.process_time(), int(options.land_seconds), 0
    for _ in range(SECONDS // step):
        draft = Draft(Tables())
        draft.rows.extend(row(number + each, rate) for each in range(rate * step))
        number += rate * step
        if not draft.empty:
            store.commit(draft)
        error = lander.run_once(lambda _rows: None)
        assert error is None, error
    landed = files_of(folder)
    took = time.process_time() - began
    began = time.process_time()
    merger = Merger(batches, landing, MergeRule(seconds=1e-3, size=options.merge_bytes))
    for _ in range(100):
        error = merger.run_once()
        assert error is None, error
    left = files_of(folder)
    return {
        "rate": rate,
        "files": len(landed),
        "bytes": sum(landed),
        "left": len(left),
        "left_bytes": sum(left),
        "cpu": took,
        "merging": time.process_time() - began,
    }


def files_of(folder: Path) -> list[int]:
    return [path.stat().st_size for path in folder.rglob("*.parquet")]


def fill(folder: Path) -> None:
    """As many rows of counters as are landed at once."""
    prepare(folder)
    store = Store(folder)
    for first in range(0, ROWS_FORMED_AT_ONCE, 5000):
        draft = Draft(Tables())
        draft.rows.extend(row(number * 10, 100) for number in range(first, first + 5000))
        store.commit(draft)
    store.close()


def memory(folder: Path) -> None:
    """Prints by how much the peak grows as they are landed: MB."""
    batches = BatchStore(folder)
    landing = Landing(str(folder / "landed"))
    before = peak()
    error = Lander(batches, landing).run_once(lambda _rows: None)
    assert error is None, error
    print(f"{(peak() - before) / 1000:.0f}")


def peak() -> int:
    """The most memory that this process has had, in kB; what getrusage says may be its parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.memory:
        memory(arguments.memory)
        return
    with tempfile.TemporaryDirectory() as folder:
        print(
            "| rows a second | files landed | MB | files after merging | MB | CPU of landing | and of merging |"
        )
        print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for rate in RATES:
            told = hour(rate, Path(tempfile.mkdtemp(dir=folder)))
            print(
                f"| {rate} | {told['files']:,} | {told['bytes'] / 1e6:.2f} | {told['left']} |"
                f" {told['left_bytes'] / 1e6:.2f} | {told['cpu']:.1f} s | {told['merging']:.1f} s |"
            )
        data = Path(tempfile.mkdtemp(dir=folder))
        fill(data)
        command = [sys.executable, __file__, "--memory", str(data)]
        grown = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        print(
            f"{ROWS_FORMED_AT_ONCE:,} rows of counters in one batch: the peak of memory grows by {grown} MB"
        )


if __name__ == "__main__":
    main()
