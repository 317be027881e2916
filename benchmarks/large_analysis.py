"""Times the analysis of a large fleet as a user would start it, against the truth and against DuckDB on the same files.

    python benchmarks/large_fleet.py FOLDER --scale 0.1
    python benchmarks/large_analysis.py FOLDER [--sql-python PYTHON]

DuckDB (extra ``benchmarks``) computes the core of the same result: ledger, and what was lost on each hop. Both get two threads and 8 GiB.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Books = dict[tuple[str, str], tuple[int, int, int]]
Losses = dict[tuple[str, str], int]
LOOK_EVERY = 0.5
MEMORY = "5g"
"""Of Java objects: with what else Java and Python take, it is less than ``AT_MOST``."""
AT_MOST = 8 << 30
STACK = 25
"""Where /proc/PID/stat, behind the name, has the address at which the stack begins. What vfork starts is in its parent's memory until it
runs another program: it has the same stack, and Linux tells all of that memory of both."""


@dataclass(frozen=True)
class Cost:
    """What a command took: seconds by the clock, of processors, and the most memory that all its processes had at once (bytes)."""

    seconds: float
    processor: float
    memory: int


@dataclass(frozen=True)
class Result:
    """Sent, delivered and lost by stream and receiver, and messages lost by hop."""

    books: Books
    losses: Losses


def main() -> int:
    args = _arguments()
    truth = json.loads((args.folder / "truth.json").read_text())
    expected = of_truth(truth)
    with tempfile.TemporaryDirectory() as scratch:
        out = args.out or Path(scratch) / "out"
        cost = measured(_analyze(args.folder, out), os.environ | {"SPARK_DRIVER_MEMORY": MEMORY})
        report = json.loads((out / "report.json").read_text())
        rows = [("`hopwatch analyze`", cost, differences(of_report(report), expected))]
        sizes = {name: (out / name).stat().st_size / 1e6 for name in ("report.json", "report.html")}
        if not args.no_sql:
            found = Path(scratch) / "sql.json"
            script = Path(__file__).with_name("large_fleet_sql.py")
            cost = measured([args.sql_python, str(script), str(args.folder), str(found)], os.environ)
            rows.append(("DuckDB", cost, differences(_of_sql(json.loads(found.read_text())), expected)))
    print(_table(truth, rows))
    print(f"\n{sizes}, load {os.getloadavg()}")
    print(f"causes, messages: truth {_by_cause(truth['losses'])}, told {_by_cause(report['incidents'])}")
    wrong = _exact_and_wrong(report, truth["losses"])
    exact = [each for each in report["incidents"] if each["certainty"] == "exact"]
    print(f"told as exact {_by_cause(exact)}, of which of another cause: {wrong} messages")
    too_much = any(cost.memory > AT_MOST for _, cost, _ in rows)
    return 1 if wrong or too_much or any(unlike for _, _, unlike in rows) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="what large_fleet.py wrote")
    parser.add_argument("--out", type=Path, help="where the report is kept (default: nowhere)")
    parser.add_argument("--no-sql", action="store_true", help="without DuckDB")
    parser.add_argument(
        "--sql-python", default=sys.executable, help="an interpreter that has DuckDB (default: this one)"
    )
    return parser.parse_args()


def _analyze(folder: Path, out: Path) -> list[str]:
    command = "import sys; from hopwatch.cli import main; sys.exit(main())"
    return [sys.executable, "-c", command, "analyze", str(folder), "--out", str(out), "--master", "local[2]"]


def measured(command: Sequence[str], environment: Mapping[str, str]) -> Cost:
    began, used = time.monotonic(), os.times()
    process = subprocess.Popen(command, env=dict(environment), stdout=subprocess.DEVNULL)
    most, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(LOOK_EVERY):
            most[0] = max(most[0], _memory(process.pid))

    looking = threading.Thread(target=look)
    looking.start()
    status = process.wait()
    done.set()
    looking.join()
    if status:
        raise SystemExit(f"{command[0]} ended with status {status}")
    now = os.times()
    processor = now.children_user + now.children_system - used.children_user - used.children_system
    return Cost(time.monotonic() - began, processor, most[0])


def _memory(root: int) -> int:
    """Resident bytes of a process and all that descend from it; what they share counts once, also before a fork runs another program."""
    parents, stacks = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it has just ended
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                parents[int(folder.name)], stacks[int(folder.name)] = int(fields[1]), fields[STACK]
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    of_stack: dict[str, int] = {}
    for pid in family & stacks.keys():
        of_stack[stacks[pid]] = max(of_stack.get(stacks[pid], 0), _proportional(pid))
    return sum(of_stack.values())


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def of_truth(truth: dict[str, Any]) -> Result:
    losses: Counter[tuple[str, str]] = Counter()
    for row in truth["losses"]:
        losses[row["from"], row["to"]] += row["lost"]
    return Result(_books(truth["ledger"]), dict(losses))


def of_report(report: dict[str, Any]) -> Result:
    losses = {
        (hop["from"]["socket"], hop["to"]["socket"]): hop["lost"] for hop in report["hops"] if hop["lost"]
    }
    return Result(_books(report["ledger"]), losses)


def _of_sql(found: dict[str, Any]) -> Result:
    books = {(row[0], row[1]): tuple(row[2:]) for row in found["ledger"]}
    return Result(books, {(row[0], row[1]): row[2] for row in found["hops"]})


def _books(rows: Sequence[dict[str, Any]]) -> Books:
    return {(row["stream"], row["receiver"]): (row["sent"], row["delivered"], row["lost"]) for row in rows}


def differences(found: Result, expected: Result) -> int:
    """Rows of either that are not the same in both."""
    return len(found.books.items() ^ expected.books.items()) + len(found.losses.items() ^ expected.losses.items())  # fmt: skip


def _by_cause(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    causes: Counter[str] = Counter()
    for row in rows:
        causes[row["cause"]] += row["lost"]
    return dict(sorted(causes.items()))


def _exact_and_wrong(report: dict[str, Any], losses: Sequence[dict[str, Any]]) -> int:
    """Messages that incidents call exact, beyond those that were lost on that hop by that cause."""
    hops = {hop["hop"]: (hop["from"]["socket"], hop["to"]["socket"]) for hop in report["hops"]}
    told: Counter[tuple[str, str, str]] = Counter()
    for row in report["incidents"]:
        if row["certainty"] == "exact":
            told[(*hops[row["hop"]], row["cause"])] += row["lost"]
    for row in losses:
        told[row["from"], row["to"], row["cause"]] -= row["lost"]
    return sum(count for count in told.values() if count > 0)


def _table(truth: dict[str, Any], rows: Sequence[tuple[str, Cost, int]]) -> str:
    lines = [f"{truth['events']:,} events of {truth['hosts']:,} hosts, {truth['sockets']:,} sockets, {truth['messages']:,} messages", "",
             "| | seconds | of processors | memory at most, GB | rows unlike the truth |", "| --- | ---: | ---: | ---: | ---: |"]  # fmt: skip
    lines += [
        f"| {name} | {cost.seconds:.0f} | {cost.processor:.0f} | {cost.memory / 1e9:.1f} | {wrong} |"
        for name, cost, wrong in rows
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
