"""Write a made-up fleet's landed files, and the truth about them."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hopwatch_simulate.errors import SimulationError
from hopwatch_simulate.fleet import draw, simulate
from hopwatch_simulate.landing import TRUTH, land


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0, or 2 where the files cannot be written."""
    args = _parser().parse_args(arguments)
    try:
        _require_empty(args.out)
        fleet = simulate(draw(args.seed, args.hosts, args.hours))
        land(fleet, args.out)
    except SimulationError as error:
        print(f"hopwatch_simulate: {error}", file=sys.stderr)
        return 2
    lost = sum(hop["lost"] for hop in fleet.truth["hops"])
    print(f"{len(fleet.hosts)} hosts, {len(fleet.truth['ledger'])} streams by receiver, {lost} messages lost")
    print(f"Truth: {args.out / TRUTH}")
    return 0


def _parser() -> argparse.ArgumentParser:
    about = "write the events of a made-up fleet, drawn from a seed, and the truth about its losses"
    parser = argparse.ArgumentParser(prog="python -m hopwatch_simulate", description=about)
    parser.add_argument(
        "out", type=Path, metavar="OUT", help="folder that the files go to: a new or an empty one"
    )
    parser.add_argument("--seed", type=int, required=True, help="which fleet: the same seed, the same files")
    parser.add_argument("--hosts", type=_count, help="how many hosts (default: drawn, 1 to 6)")
    parser.add_argument(
        "--hours",
        type=_hours,
        default=0.002,
        help="time over which things begin to happen (default: 0.002)",
    )
    return parser


def _require_empty(folder: Path) -> None:
    """What is there already would be analysed with the rest."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise SimulationError(f"{folder} is not empty")
    except OSError as error:
        raise SimulationError(f"cannot write {folder}: {error}") from error


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hosts: say 1 or more")
    return int(text)


def _hours(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 24:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of hours: say 0 to 24, as 0.5")
    return value


if __name__ == "__main__":
    sys.exit(main())
