"""A Parquet file can have a sound footer, and pages that nobody can read."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hopwatch_analysis.damage import without_damaged
from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.job import analyze
from hopwatch_analysis.reading import find_landed
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def damage(file: Path, column: str) -> None:
    """Spoil the pages of one column."""
    names = pq.ParquetFile(file).schema_arrow.names
    chunk = pq.ParquetFile(file).metadata.row_group(0).column(names.index(column))
    raw = bytearray(file.read_bytes())
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    for position in range(start, start + chunk.total_compressed_size):
        raw[position] ^= 0x55
    file.write_bytes(raw)


def connections(landed: Path) -> Path:
    return next(landed.glob("kind=connection/*/*/*.parquet"))


def test_a_file_with_damaged_pages_is_named_and_the_rest_is_analysed(
    spark: SparkSession, landed: Path, tmp_path: Path
) -> None:
    extra = connections(landed).with_name("batch-2.parquet")
    extra.write_bytes(connections(landed).read_bytes())
    damage(extra, "remote")
    told: list[str] = []
    report = analyze(spark, [str(landed)], tmp_path / "out", progress=told.append)
    assert [(item["hop"], item["lost"]) for item in report["hops"]] == [("quotes → reader", 10)]
    assert any(str(extra) in line and "damaged" in line for line in told)


def test_damage_in_every_file_is_unusable_input(spark: SparkSession, landed: Path, tmp_path: Path) -> None:
    for file in landed.rglob("*.parquet"):
        damage(file, "at")
    with pytest.raises(UnusableInputError, match="damaged"):
        analyze(spark, [str(landed)], tmp_path / "out")


def test_sound_files_stay(landed: Path) -> None:
    found = find_landed([str(landed)])
    assert without_damaged(found) == found
