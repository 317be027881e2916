"""The files of a fleet: what its agents landed, as they lay it out, and truth.json beside them."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.parquet as pq
from hopwatch_agent.landing.schemas import KINDS, SCHEMA_VERSION, schema_of

from hopwatch_simulate.errors import SimulationError
from hopwatch_simulate.fleet import Fleet
from hopwatch_simulate.hosts import Host, Row

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
    by_day: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for kind, row in host.rows:
        by_day[kind, row["at"].date().isoformat()].append(row)
    for number, ((kind, day), rows) in enumerate(by_day.items()):
        place = folder / f"kind={kind}" / f"date={day}" / f"host={quote(host.name, safe='')}"
        place.mkdir(parents=True, exist_ok=True)
        size = max(20, -(-len(rows) // BATCHES))
        for batch, start in enumerate(range(0, len(rows), size)):
            first = number * BATCHES + batch
            path = place / f"{first:012d}-{first:012d}.parquet"
            _write(path, kind, rows[start : start + size])
            if batch:
                later.append(path)
    return later


def _write(path: Path, kind: str, rows: list[Row]) -> None:
    unknown = {name for row in rows for name in row} - set(KINDS[kind]) - {"host", "process", "n", "at"}
    if unknown:
        raise SimulationError(f"kind {kind} has no columns {sorted(unknown)}")
    schema = schema_of(kind)
    blank: dict[str, Any] = dict.fromkeys(schema.names) | {"schema_version": SCHEMA_VERSION}
    table = pa.Table.from_pylist([blank | row for row in rows], schema=schema)
    pq.write_table(table, path, compression="zstd")
