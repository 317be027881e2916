"""A story whose files land little by little, as an agent lands them: small ones, which are merged later."""

from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hopwatch_simulate.landed import Row, place_of, write_rows, write_table
from landed_folder import LandedFolder, at

DATABASE = "0123abcd"


class LandedSteps:
    """Lands the rows of a story by their times; a host may be held back."""

    def __init__(self, story: LandedFolder, folder: Path) -> None:
        self._story, self._folder = story, folder
        self._landed: dict[str, datetime] = {}
        self._block = 0
        folder.mkdir(parents=True, exist_ok=True)

    def land(self, until: float, *hosts: str) -> None:
        """Land what the hosts (all, if none is named) have not landed yet of the story so far."""
        for host in hosts or self._hosts():
            since, self._landed[host] = self._landed.get(host, self._at(-1000)), self._at(until)
            for kind, rows in self._story.rows.items():
                due = [row for row in rows if row["host"] == host and since <= row["at"] < self._at(until)]
                if due:
                    self._block += 1
                    write_rows(self._path(kind, host, self._block, self._block), kind, due)

    def merge(self) -> None:
        """What an agent does once an hour: one file in place of the small ones, which are removed in the end."""
        for folder in sorted({path.parent for path in self._folder.rglob("*.parquet")}):
            parts = sorted(folder.glob(f"{DATABASE}-*.parquet"))
            if len(parts) > 1:
                whole = pa.concat_tables([pq.ParquetFile(path).read() for path in parts])
                first, last = parts[0].stem.split("-")[1], parts[-1].stem.split("-")[2]
                write_table(folder / f"{DATABASE}-{first}-{last}.parquet", whole)
                for path in parts:
                    path.unlink()

    def _at(self, seconds: float) -> datetime:
        return at(seconds, self._story.start)

    def _hosts(self) -> list[str]:
        return sorted({row["host"] for rows in self._story.rows.values() for row in rows})

    def _path(self, kind: str, host: str, first: int, last: int) -> Path:
        return (
            place_of(self._folder, kind, self._story.start.date(), host)
            / f"{DATABASE}-{first:012d}-{last:012d}.parquet"
        )


def landed_incidents(out: Path) -> list[Row]:
    """All rows under ``incidents``, in the order in which they landed."""
    files = sorted((out / "incidents").glob("batch=*/*.parquet"), key=lambda path: int(path.parent.name[6:]))
    return [row for path in files for row in pq.ParquetFile(path).read().to_pylist()]


def lost_by_cause(rows: list[Row]) -> dict[tuple[str, str, str], int]:
    """Messages lost by hop, cause and certainty: corrections are taken off."""
    sums: dict[tuple[str, str, str], int] = {}
    for row in rows:
        key = (row["hop"], row["cause"], row["certainty"])
        sums[key] = sums.get(key, 0) + row["lost"]
    return {key: lost for key, lost in sums.items() if lost}
