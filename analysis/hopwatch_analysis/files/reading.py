"""Landed files in, one frame a kind out, without what cannot be told."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from hopwatch_analysis.files.contradictions import FILE, contradictory, of_files, without_contradictory
from hopwatch_analysis.files.landed import Landed
from hopwatch_analysis.files.places import to_read
from hopwatch_analysis.files.schemas import KINDS, schema_of
from hopwatch_analysis.spark.estimates import expect_rows
from hopwatch_analysis.spark.frames import empty, in_one_partition, settle, together

Tables = Mapping[str, DataFrame]

LONG = ("counters", "lane", "gap", "onset", "tcp", "usage", "memory")
"""Kinds with most of all rows. Of the others, opening the files is most of the work: where they are many, that is done once."""
FILES_READ_AGAIN = 32
PARTS = 8


def load(spark: SparkSession, landed: Landed) -> tuple[Landed, Tables]:
    """One frame a kind (empty where nothing was landed), without contradictory rows; what was landed, with those named."""
    expect_rows(spark, landed.rows)
    told = {kind: _told(spark, kind, paths) for kind in KINDS if (paths := _paths(landed, kind))}
    found = contradictory(told, _path_of)
    spoilt = {kind for kind in told if any(f"/kind={kind}/" in file for file in of_files(found))}
    tables = {}
    for kind in KINDS:
        rows = told[kind].drop(FILE) if kind in told else empty(spark, schema_of(kind))
        sound = without_contradictory(rows, kind) if kind in spoilt else rows
        tables[kind] = together(sound)
    return replace(landed, set_aside=found), tables


def rows_until(tables: Tables, until: datetime | None) -> Tables:
    """Without the rows that are later; their times are to be told by one clock."""
    if until is None:
        return tables
    return {kind: rows.where(sf.col("at") <= sf.lit(until)) for kind, rows in tables.items()}


def _paths(landed: Landed, kind: str) -> list[str]:
    return [to_read(file.path) for file in landed.files if file.kind == kind]


def _told(spark: SparkSession, kind: str, paths: Sequence[str]) -> DataFrame:
    """The rows of a kind, each with its file."""
    rows = spark.read.schema(schema_of(kind)).parquet(*paths)
    told = rows.select("*", sf.col("_metadata.file_path").alias(FILE))
    many = len(paths) > FILES_READ_AGAIN and kind not in LONG
    return settle(told.coalesce(PARTS)) if many or in_one_partition(spark) else told


def _path_of(uri: str) -> str:
    """A file as it was listed, of the URI that Spark gives it."""
    return re.sub("^file:/+", "/", unquote(uri))
