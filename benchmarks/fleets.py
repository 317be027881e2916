"""Simulated fleets through the real analysis: how often it names the right hop and cause, and whether its books are true.

    python benchmarks/fleets.py --seeds 0:200 [--together 10] [--hosts 4] [--hours 0.001] [--story NAME ...]

Every disagreement is printed as it is found, and makes it fail; the table sums up all of them. Fleets that are analysed together are one fleet
to the analysis: what an analysis costs is mostly the same for one and for ten.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from hopwatch_analysis.job import analyze
from hopwatch_analysis.spark.session import spark_session
from hopwatch_simulate.fleet import Drawn, draw, simulate
from hopwatch_simulate.landing import land
from hopwatch_simulate.score import Score, Tally
from hopwatch_simulate.situations import EVERY
from hopwatch_simulate.sums import that_do_not_add_up
from pyspark.sql import SparkSession

Json = dict[str, Any]


def main() -> int:
    args = _arguments()
    score, stories, untrue = Score(), 0, 0
    with spark_session("local[2]", lasting=True) as spark:
        for together in batches(_fleets(args), args.together):
            began = time.monotonic()
            truth, report, losses = _analyzed(spark, together)
            stories += sum(len(drawn.stories) for drawn in together)
            for drawn in together:
                print(f"seed {drawn.seed}, site {drawn.site}: {', '.join(drawn.stories)}")
            print(f"{time.monotonic() - began:.0f} s", flush=True)
            for line in [*score.add(report, truth, losses), *that_do_not_add_up(report)]:
                print(f"    {line}", flush=True)
                untrue += 1
            if args.keep:
                _keep(args.keep / f"{together[0].seed}", truth, report)
    print(table(score, len(args.seeds), stories))
    return 1 if untrue else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=seeds, default=range(20), help="first and one past the last, as 0:20")
    parser.add_argument("--together", type=int, default=1, help="fleets a job (default: 1, at most 80)")
    parser.add_argument("--hosts", type=int, help="hosts of each fleet (default: drawn)")
    parser.add_argument("--hours", type=float, help="time over which things begin to happen (default: 0.002)")
    parser.add_argument("--story", nargs="+", choices=sorted(EVERY), help="fleets of these stories only")
    parser.add_argument("--skew", type=float, help="seconds that clocks are wrong at most (default: drawn)")
    parser.add_argument("--keep", type=Path, help="where truths and reports are kept")
    return parser.parse_args()


def seeds(text: str) -> range:
    """As the command line says them: first and one past the last."""
    first, _, end = text.partition(":")
    return range(int(first), int(end))


def _fleets(args: argparse.Namespace) -> Iterator[Drawn]:
    for number, seed in enumerate(args.seeds):
        drawn = draw(seed, args.hosts)
        stories = tuple(args.story) if args.story else drawn.stories
        skew = drawn.skew if args.skew is None else args.skew
        hours = drawn.hours if args.hours is None else args.hours
        yield Drawn(seed, drawn.hosts, hours, stories, skew, number % args.together)


def batches(fleets: Iterator[Drawn], size: int) -> Iterator[list[Drawn]]:
    """As many at a time."""
    while batch := list(islice(fleets, size)):
        yield batch


def _analyzed(spark: SparkSession, together: Sequence[Drawn]) -> tuple[Json, Json, list[Json]]:
    """The truth of these fleets as if they were one, the report, and its table of losses."""
    truth: Json = {"ledger": [], "hops": [], "refused": []}
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch) / f"{drawn.seed}" for drawn in together]
        for drawn, folder in zip(together, folders, strict=True):
            folder.mkdir()
            fleet = simulate(drawn)
            land(fleet, folder)
            truth["ledger"] += fleet.truth["ledger"]
            truth["hops"] += fleet.truth["hops"]
            truth["refused"] += fleet.truth["refused"]
        report = analyze(spark, [str(folder) for folder in folders], Path(scratch) / "out")
        return truth, report, pq.read_table(Path(scratch) / "out" / "tables" / "losses").to_pylist()


def _keep(folder: Path, truth: Json, report: Json) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(report, indent=1, default=str))
    (folder / "truth.json").write_text(json.dumps(truth, indent=1))


def table(score: Score, fleets: int, stories: int) -> str:
    """What was found, as a table in Markdown."""
    out = score.left_out
    why, why_causes, exact = _counted(out.why), _counted(out.why_causes), _counted(score.exact_by_cause)
    rows = [
        ("fleets, and stories in them", f"{fleets}, {stories}"),
        ("hops: precision, recall", _rates(score.hops)),
        ("causes: precision, recall", _rates(score.causes)),
        *((f"of these, `{cause}`", _rates(tally)) for cause, tally in sorted(score.by_cause.items())),
        ("all causes, knowable or not: precision, recall", _rates(score.all_causes)),
        ("kills for memory: precision, recall", _rates(score.memory)),
        ("refused sends: precision, recall", _rates(score.refused)),
        ("hops with another count", _of(score.wrong_counts, score.counts, score.counts_in_bounds)),
        (
            "causes with another count",
            _of(score.wrong_cause_counts, score.cause_counts, score.cause_counts_in_bounds),
        ),
        (
            "books that are not true",
            f"{score.wrong_books} of {score.books} (beside {score.books_in_sum} of shared-out streams that are true in their sum alone)",
        ),
        ("exact, and wrong", f"{score.wrong_exact} of {score.exact} ({exact})"),
        ("exact ranges, and wrong", f"{score.wrong_exact_ranges} of {score.exact_ranges}"),
        ("left out: hops not knowable", f"{out.hops} of {out.all_hops}, {out.lost_on_hops} messages"),
        (
            "left out: causes not knowable",
            f"{out.causes} of {out.all_causes} ({why_causes}), {out.lost_by_causes} messages",
        ),
        ("of these causes, told", _counted(score.unknowable)),
        (
            "left out: books not knowable",
            f"{out.rows} of {out.all_rows} ({why}), {out.lost_in_rows} messages lost",
        ),
        (
            "books that are only untraceable, with less missing than lost",
            f"{score.wrong_bounds} of {score.bounded_books}",
        ),
    ]
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)])


def _of(wrong: int, all_of_them: int, in_bounds: int) -> str:
    return f"{wrong} of {all_of_them} (of which {in_bounds} within bounds, all others to the message)"


def _counted(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def _rates(tally: Tally) -> str:
    return f"{tally.precision:.3f}, {tally.recall:.3f} ({tally.found} found, {tally.made_up} made up, {tally.missed} missed)"


if __name__ == "__main__":
    raise SystemExit(main())
