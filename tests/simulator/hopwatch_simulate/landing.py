"""The files of a fleet: what its agents landed, as they lay it out, and truth.json beside them."""

import json
from collections import defaultdict
from datetime import date
from pathlib import Path

from hopwatch_simulate.errors import SimulationError
from hopwatch_simulate.fleet import Fleet
from hopwatch_simulate.hosts import Host
from hopwatch_simulate.landed import Row, place_of, write_rows

TRUTH = "truth.json"
BATCHES = 2
"""Files of a kind and a day that each agent lands."""


def land(fleet: Fleet, folder: Path) -> None:
    """Write all files. Raises SimulationError if the folder cannot be written."""
    try:
        later = [path for host in fleet.hosts for path in _land_host(host, folder) if host.name in fleet.late]
        truth = {**fleet.truth, "late_files": sorted(str(path.relative_to(folder)) for path in later)}
        (folder / TRUTH).write_text(json.dumps(truth, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SimulationError(f"cannot write {folder}: {error}") from error


def _land_host(host: Host, folder: Path) -> list[Path]:
    """Write a host's files; gives those that are not the first of their kind and day."""
    later = []
    by_day: dict[tuple[str, date], list[Row]] = defaultdict(list)
    for kind, row in host.rows:
        by_day[kind, row["at"].date()].append(row)
    for number, ((kind, day), rows) in enumerate(by_day.items()):
        size = max(20, -(-len(rows) // BATCHES))
        for batch, start in enumerate(range(0, len(rows), size)):
            first = number * BATCHES + batch
            path = place_of(folder, kind, day, host.name) / f"{first:012d}-{first:012d}.parquet"
            write_rows(path, kind, rows[start : start + size])
            if batch:
                later.append(path)
    return later
