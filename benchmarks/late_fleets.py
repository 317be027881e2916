"""Simulated fleets of which some hosts' files come late, followed as they land: is the report true in the end, and what was landed?

    python benchmarks/late_fleets.py --seeds 0:200 [--together 40] [--late SECONDS]

Three turns: without the late files, with them, and once nothing more is to be expected. With ``--late 0`` (the default) the late ones come later
than was said, so that what had been closed by then has to be corrected.
"""

import argparse
import json
import re
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from fleets import Json, batches, seeds, table
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.turns import Turns
from hopwatch_analysis.spark.session import spark_session
from hopwatch_simulate.fleet import Drawn, draw, simulate
from hopwatch_simulate.landing import TRUTH, land
from hopwatch_simulate.score import Score
from hopwatch_simulate.sums import that_do_not_add_up
from pyspark.sql import SparkSession

Sums = Counter[tuple[Any, ...]]
GUARD = 5.0
HOURS = 0.02
"""Of a recording: so long that much of it is closed before its late files come."""
TO_TELL_APART = re.compile(r" \(pid [^)]*\)")
"""Labels say more of sockets as soon as there are others of the same name."""


def main() -> int:
    args = _arguments()
    score, stories, closed_early, corrected, unlike, untrue = Score(), 0, 0, 0, 0, 0
    fleets = (_drawn(seed, number % args.together) for number, seed in enumerate(args.seeds))
    with spark_session("local[2]", lasting=True) as spark:
        for together in batches(fleets, args.together):
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as scratch:
                truth, out, before = _followed(spark, together, Path(scratch), args.late)
                report = json.loads((out / "report.json").read_text())
                rows = _landed(out)
            stories += sum(len(drawn.stories) for drawn in together)
            closed_early += before
            corrected += sum(row["kind"] == "correction" for row in rows)
            differences = _lost(rows) - _lost(report["incidents"])
            differences.update(_lost(report["incidents"]) - _lost(rows))
            unlike += len(differences)
            print(
                f"seeds {together[0].seed} to {together[-1].seed}: {time.monotonic() - began:.0f} s",
                flush=True,
            )
            landed_otherwise = (f"landed otherwise: {key}" for key in differences)
            for line in [*score.add(report, truth), *that_do_not_add_up(report), *landed_otherwise]:
                print(f"    {line}", flush=True)
                untrue += 1
    print(table(score, len(args.seeds), stories))
    print(f"| incidents closed before the late files came | {closed_early} |")
    print(f"| corrections landed | {corrected} |")
    print(f"| hops and causes of which another sum was landed than is reported | {unlike} |")
    return 1 if untrue else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default=range(40), help="first and one past the last, as 0:40")
    parser.add_argument("--together", type=int, default=40, help="fleets a job (default: 40, at most 80)")
    parser.add_argument(
        "--late", type=float, default=0.0, help="as of hopwatch analyze --follow (default: 0)"
    )
    return parser.parse_args()


def _drawn(seed: int, site: int) -> Drawn:
    drawn = draw(seed, hours=HOURS)
    return Drawn(seed, drawn.hosts, drawn.hours, drawn.stories, drawn.skew, site)


def _followed(
    spark: SparkSession, together: Sequence[Drawn], scratch: Path, late: float
) -> tuple[Json, Path, int]:
    """The truth of these fleets as if they were one, where report and incidents are, and how many were landed before the late files."""
    truth: Json = {"ledger": [], "hops": [], "refused": []}
    away: list[tuple[Path, Path]] = []
    landed, out = scratch / "landed", scratch / "out"
    out.mkdir()
    for drawn in together:
        folder = landed / f"{drawn.seed}"
        folder.mkdir(parents=True)
        fleet = simulate(drawn)
        land(fleet, folder)
        truth["ledger"] += fleet.truth["ledger"]
        truth["hops"] += fleet.truth["hops"]
        truth["refused"] += fleet.truth["refused"]
        away += [
            (folder / name, scratch / "away" / f"{drawn.seed}" / name)
            for name in json.loads((folder / TRUTH).read_text())["late_files"]
        ]
    turns = Turns(spark, Following((str(landed),), out, GUARD, late), _silent, {})
    for place, aside in away:
        aside.parent.mkdir(parents=True, exist_ok=True)
        place.rename(aside)
    turns.take()
    before = len(_landed(out))
    for place, aside in away:
        aside.rename(place)
    turns.take()
    turns.take(quiet=True)
    return truth, out, before


def _landed(out: Path) -> list[dict[str, Any]]:
    files = sorted((out / "incidents").glob("batch=*/*.parquet"))
    return [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]


def _lost(rows: Sequence[Json]) -> Sums:
    sums: Sums = Counter()
    for row in rows:
        sums[TO_TELL_APART.sub("", row["hop"]), row["cause"], row["certainty"]] += row["lost"]
    return sums


def _silent(_line: str) -> None:
    """The turns' own progress."""


if __name__ == "__main__":
    raise SystemExit(main())
