"""What a turn of ``hopwatch analyze --follow`` takes on a large fleet, of whose hour a part lands before each.

    python benchmarks/large_fleet.py FOLDER --scale 0.1
    python benchmarks/follow_turns.py FOLDER [--turns 4]

Each turn is a run with ``--once``, so that starting Spark is in it; the last one knows the whole hour, and is held against the truth.
"""

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from hopwatch_simulate.landed import write_table
from large_analysis import MEMORY, Cost, differences, measured, of_report, of_truth
from large_fleet_rows import HOUR

BEGINS = datetime.fromtimestamp(HOUR, timezone.utc)
NUMBERS_A_FILE = 100_000
TO_TELL_APART = re.compile(r" \([^)]*\)")
"""Labels say more of sockets as soon as there are others of the same name."""


def main() -> int:
    args = _arguments()
    truth = json.loads((args.folder / "truth.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        landed, out = Path(scratch) / "landed", Path(scratch) / "out"
        print("| turn | events by then | seconds | of processors | memory at most, GB | incidents landed |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: |")
        events = 0
        for turn in range(args.turns):
            events += _land(args.folder, landed, turn, args.turns)
            cost = measured(_follow(landed, out), os.environ | {"SPARK_DRIVER_MEMORY": MEMORY})
            print(_row(turn, events, cost, len(_incidents(out))), flush=True)
        report = json.loads((out / "report.json").read_text())
        unlike = differences(of_report(report), of_truth(truth))
        otherwise = _lost(_incidents(out)) - _lost(report["incidents"])
        open_yet = _lost(report["incidents"]) - _lost(_incidents(out))
    print(f"\nrows unlike the truth: {unlike}")
    print(f"hops and causes of which more has landed: {len(otherwise)} {dict(otherwise.most_common(5))}")
    print(
        f"of which less has landed, as what is not closed yet: {len(open_yet)}, {open_yet.total()} messages"
    )
    return 1 if unlike or otherwise else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="what large_fleet.py wrote")
    parser.add_argument("--turns", type=int, default=4, help="parts of the hour (default: 4)")
    return parser.parse_args()


def _land(whole: Path, landed: Path, turn: int, turns: int) -> int:
    """Land what was written in one part of the hour, as files of their own; gives how many rows. What is before or behind the hour goes
    with its first or last part.
    """
    step = timedelta(hours=1) / turns
    since = None if turn == 0 else BEGINS + turn * step
    until = None if turn == turns - 1 else BEGINS + (turn + 1) * step
    count = 0
    for file in sorted(whole.rglob("*.parquet")):
        rows = _between(pq.read_table(file), since, until)
        if rows.num_rows:
            database, first, _ = file.stem.rsplit("-", 2)
            share = NUMBERS_A_FILE // turns
            begins = int(first) + turn * share
            place = landed / file.relative_to(whole).parent
            name = f"{database}-{begins:012d}-{begins + share - 1:012d}.parquet"
            write_table(place / name, rows)
            count += rows.num_rows
    return count


def _between(rows: pa.Table, since: datetime | None, until: datetime | None) -> pa.Table:
    if since is not None:
        rows = rows.filter(pc.field("at") >= pa.scalar(since, rows.schema.field("at").type))
    if until is not None:
        rows = rows.filter(pc.field("at") < pa.scalar(until, rows.schema.field("at").type))
    return rows


def _follow(landed: Path, out: Path) -> list[str]:
    command = "import sys; from hopwatch.cli import main; sys.exit(main())"
    where = [str(landed), "--out", str(out), "--master", "local[2]"]
    return [sys.executable, "-c", command, "analyze", *where, "--follow", "--once"]


def _incidents(out: Path) -> list[dict[str, Any]]:
    files = sorted((out / "incidents").glob("batch=*/*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def _lost(rows: list[dict[str, Any]]) -> Counter[tuple[str, str]]:
    lost: Counter[tuple[str, str]] = Counter()
    for row in rows:
        lost[TO_TELL_APART.sub("", row["hop"]), row["cause"]] += row["lost"]
    return lost


def _row(turn: int, events: int, cost: Cost, incidents: int) -> str:
    return f"| {turn + 1} | {events:,} | {cost.seconds:.0f} | {cost.processor:.0f} | {cost.memory / 1e9:.1f} | {incidents:,} |"


if __name__ == "__main__":
    sys.exit(main())
