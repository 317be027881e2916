"""The judge, run by Spark over one case at a time, on every core and worker."""

import gc
import tempfile
import zipfile
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import hopwatch_judge
import pyarrow as pa
from hopwatch_judge.judge import judge
from hopwatch_judge.rows import case_of, rows_of
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from hopwatch_analysis.spark.frames import settle

TOLD = "case string, kind string, row string"


def verdicts(rows: DataFrame) -> DataFrame:
    """What the judge says of the cases with these ``rows`` (case, kind, row): case, kind, row.

    A case is in memory as a whole, on one worker: what bounds it is that only streams that lack something have rows of gaps and samples, and
    that streams which do not meet are cases of their own.
    """
    reach_workers(rows.sparkSession)
    return settle(rows.groupBy("case").applyInArrow(_judging(), TOLD))


def told(verdicts: DataFrame, kind: str, fields: str) -> DataFrame:
    """Records of one kind; ``fields`` with their types, as Spark says them."""
    return (
        verdicts.where(sf.col("kind") == kind)
        .select(sf.from_json("row", fields).alias("record"))
        .select("record.*")
    )


def _judging() -> Callable[[pa.Table], pa.Table]:
    """A function that needs nothing of this package where it runs: one that is made here is sent as it is, and what it calls by its name."""

    def judge_case(table: pa.Table) -> pa.Table:
        case = table["case"][0].as_py()
        gc.disable()  # what is made of a case has no cycles, and looking for some takes a third of the time
        try:
            found = list(
                rows_of(judge(case_of(zip(table["kind"].to_pylist(), table["row"].to_pylist(), strict=True))))
            )
        finally:
            gc.enable()
        kinds, rows = [each.kind for each in found], [each.row for each in found]
        return pa.table(
            {
                "case": pa.array([case] * len(found), pa.string()),
                "kind": pa.array(kinds, pa.string()),
                "row": pa.array(rows, pa.string()),
            }
        )

    return judge_case


def reach_workers(spark: SparkSession) -> None:
    """Send the judge to workers, which need not have it installed; on this machine they do."""
    if not (spark.sparkContext.master or "").startswith("local"):
        spark.sparkContext.addPyFile(str(_zipped()))


def _zipped() -> Path:
    """The judge's modules, under a name that tells their content."""
    source = Path(hopwatch_judge.__file__).parent
    files = sorted(source.rglob("*.py"))
    content = blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()
    archive = Path(tempfile.gettempdir()) / f"hopwatch-judge-{content}.zip"
    if not archive.exists():
        with (
            tempfile.NamedTemporaryFile(dir=archive.parent, delete=False) as new,
            zipfile.ZipFile(new, "w") as packed,
        ):
            for file in files:
                packed.write(file, Path(source.name) / file.relative_to(source))
        Path(new.name).rename(archive)
    return archive
