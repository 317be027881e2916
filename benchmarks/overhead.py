"""What instrumentation costs: hopwatch, and counting by hand, against bare pyzmq.

python benchmarks/overhead.py --quick     # two or three minutes, rough
python benchmarks/overhead.py --write     # the figures of benchmarks/README.md
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from calls import call_costs
from comparison import Comparison, compare
from load import Load, loads
from report import calls_table, machine, put_between_markers, throughput_table, version
from variants import BARE, BARE_AGAIN, BY_HAND, VARIANTS, suits

ENOUGH_PAIRS_BY_HAND = 25
README = Path(__file__).with_name("README.md")


def main() -> int:
    args = arguments()
    # A terminated benchmark ends its processes, as an interrupted one does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="hopwatch-benchmark-") as directory:
        os.environ["HOPWATCH_DIR"] = directory
        figures = measure(args)
    print(figures)
    if args.write:
        put_between_markers(README, figures)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--pairs", type=int, default=100, help="pairs of turns a variant and load (default: 100)"
    )
    parser.add_argument("--messages", type=int, default=20_000, help="messages a turn (default: 20000)")
    parser.add_argument(
        "--variant", choices=sorted(VARIANTS), action="append", help="only this one; repeatable"
    )
    parser.add_argument(
        "--load", action="append", help="only loads whose name contains this, e.g. 'asyncio'; repeatable"
    )
    parser.add_argument("--quick", action="store_true", help="10 pairs of turns")
    parser.add_argument("--write", action="store_true", help="put the figures into benchmarks/README.md")
    args = parser.parse_args()
    if args.quick:
        args.pairs = 10
    return args


def measure(args: argparse.Namespace) -> str:
    chosen = args.variant or list(VARIANTS)
    measured_version, load_average = version(), os.getloadavg()[0]
    counted = [name for name in chosen if name not in (BARE, BARE_AGAIN)]
    costs = list(call_costs([BARE, *counted], rounds=20, calls=10_000))
    comparisons = list(compare_all([name for name in chosen if name != BARE], chosen_loads(args), args.pairs))
    circumstances = (
        f"Measured {time.strftime('%Y-%m-%d', time.gmtime())} by `python {shlex.join(sys.argv)}` on commit {measured_version}; {machine()}; "
        f"load average {load_average:.2f} at the start; {args.messages:,} messages a turn."
    )
    if version() != measured_version:
        raise SystemExit(
            "the code changed while it was measured: the figures mix versions, and are thrown away"
        )
    throughput, calls = throughput_table(comparisons), calls_table(costs)
    return f"{circumstances}\n\n### Messages per second\n\n{throughput}\n\n### Nanoseconds a call\n\n{calls}"


def chosen_loads(args: argparse.Namespace) -> list[Load]:
    parts = args.load or [""]
    return [load for load in loads(args.messages) if any(part in load.name for part in parts)]


def compare_all(variants: list[str], every_load: list[Load], pairs: int) -> Iterator[Comparison]:
    for load in every_load:
        for variant in filter(lambda name: suits(name, load), variants):
            enough = min(pairs, ENOUGH_PAIRS_BY_HAND) if variant in BY_HAND else pairs
            yield compare(variant, load, enough, progress)


def progress(step: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{step}", end="", file=sys.stderr, flush=True)
    elif "pair 1 of" in step:
        print(step.partition(": pair")[0], file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
