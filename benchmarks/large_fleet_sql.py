"""The core of an analysis by DuckDB: ledger and losses by hop, as JSON.

python benchmarks/large_fleet_sql.py FOLDER OUT.json
"""

import json
import sys
import tempfile
from pathlib import Path

import duckdb

LANDED = "FROM read_parquet('{folder}/kind={kind}/*/*/*.parquet', hive_partitioning=false)"


def main(folder: str, out: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, duckdb.connect() as base:
        settings = {"memory_limit": "8GB", "threads": 2, "temp_directory": scratch}
        for name, value in settings.items():
            base.execute(f"SET {name} = '{value}'")
        if not (Path(folder) / "kind=proxy").exists():
            base.execute("CREATE TABLE proxy (frontend VARCHAR, backend VARCHAR)")
        else:
            base.execute(f"CREATE TABLE proxy AS {LANDED}".format(folder=folder, kind="proxy"))
        base.execute(Path(__file__).with_name("large_fleet.sql").read_text().replace("{folder}", folder))
        ledger = base.execute("SELECT stream, receiver, sent, delivered, lost FROM ledger").fetchall()
        hops = base.execute("SELECT sender, receiver, lost FROM hops").fetchall()
        runs = base.execute("SELECT count(*) FROM missing").fetchall()[0][0]
    Path(out).write_text(json.dumps({"ledger": ledger, "hops": hops, "missing_ranges": runs}))


if __name__ == "__main__":
    main(*sys.argv[1:])
