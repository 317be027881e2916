"""Simulated fleets through the real analysis: how often it names the right hop and cause, and whether its books are true.

    python benchmarks/fleets.py --seeds 0:40 [--hosts 4] [--story NAME ...]

Every disagreement is printed with its seed; the table sums up all of them.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from hopwatch_analysis.job import analyze
from hopwatch_analysis.session import spark_session
from hopwatch_simulate.fleet import ALL, Drawn, draw, simulate
from hopwatch_simulate.landing import land
from hopwatch_simulate.score import Score, Tally


def main() -> None:
    args = _arguments()
    score, fleets, stories = Score(), 0, 0
    with spark_session("local[2]", lasting=True) as spark, tempfile.TemporaryDirectory() as scratch:
        for drawn in _fleets(args):
            began = time.monotonic()
            folder, out = Path(scratch) / f"{fleets}", Path(scratch) / f"{fleets}-out"
            folder.mkdir()
            fleet = simulate(drawn)
            land(fleet, folder)
            report = analyze(spark, [str(folder)], out)
            fleets, stories = fleets + 1, stories + len(drawn.stories)
            print(
                f"seed {drawn.seed}, {', '.join(drawn.stories)}: {time.monotonic() - began:.0f} s", flush=True
            )
            for line in score.add(report, fleet.truth):
                print(f"    {line}", flush=True)
            if args.keep:
                kept = args.keep / f"{drawn.seed}-{'-'.join(drawn.stories)[:60]}"
                kept.mkdir(parents=True, exist_ok=True)
                (kept / "report.json").write_text(json.dumps(report, indent=1, default=str))
                (kept / "truth.json").write_text(json.dumps(fleet.truth, indent=1))
    print(_table(score, fleets, stories))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--seeds", type=_range, default=range(20), help="first and one past the last, as 0:20"
    )
    parser.add_argument("--hosts", type=int, help="hosts of each fleet (default: drawn)")
    parser.add_argument("--story", nargs="+", choices=sorted(ALL), help="fleets of these stories only")
    parser.add_argument("--skew", type=float, help="seconds that clocks are wrong at most (default: drawn)")
    parser.add_argument("--keep", type=Path, help="where each fleet's truth and report are kept")
    return parser.parse_args()


def _range(text: str) -> range:
    first, _, end = text.partition(":")
    return range(int(first), int(end))


def _fleets(args: argparse.Namespace) -> Iterator[Drawn]:
    for seed in args.seeds:
        drawn = draw(seed, args.hosts)
        stories = tuple(args.story) if args.story else drawn.stories
        skew = drawn.skew if args.skew is None else args.skew
        yield Drawn(seed, drawn.hosts, drawn.hours, stories, skew)


def _table(score: Score, fleets: int, stories: int) -> str:
    rows = [
        ("fleets, and stories in them", f"{fleets}, {stories}"),
        ("hops: precision, recall", _rates(score.hops)),
        ("causes: precision, recall", _rates(score.causes)),
        ("hops with another count", f"{score.wrong_counts} of {score.counts}"),
        ("books that are not true", f"{score.wrong_books} of {score.books}"),
        ("exact, and wrong", f"{score.wrong_exact} of {score.exact}"),
    ]
    return "\n".join(["| | |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in rows)])


def _rates(tally: Tally) -> str:
    return f"{tally.precision:.3f}, {tally.recall:.3f} ({tally.found} found, {tally.made_up} made up, {tally.missed} missed)"


if __name__ == "__main__":
    main()
