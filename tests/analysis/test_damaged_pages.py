"""A Parquet file can have a sound footer, and pages that nobody can read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.files.damage import without_damaged
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.job import analyze
from hopwatch_analysis.spark.session import set_to
from hopwatch_analysis.spark.settings import NOTHING_PASSED_OVER
from pyspark.sql import SparkSession
from spoilt_pages import damage

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def connections(landed: Path) -> Path:
    return next(landed.glob("kind=connection/*/*/*.parquet"))


@pytest.fixture
def passing_over(spark: SparkSession) -> Iterator[SparkSession]:
    """A session of a cluster that is set to pass over what it cannot read, and reads files again in one step and another."""
    settings = dict.fromkeys(NOTHING_PASSED_OVER, "true") | {"spark.sql.shuffle.partitions": "2"}
    with set_to(spark, settings):
        yield spark


@pytest.mark.extended("one more analysis for the settings of a cluster")
def test_a_file_that_is_cut_off_under_way_is_named_even_where_the_cluster_passes_over_such(
    passing_over: SparkSession, landed: Path, tmp_path: Path
) -> None:
    torn = connections(landed)

    def cut_off(line: str) -> None:
        if line.endswith("landed files to read"):
            torn.write_bytes(torn.read_bytes()[:-20])

    report = analyze(passing_over, [str(landed)], tmp_path / "out", progress=cut_off)
    assert [item["file"] for item in report["skipped_files"]] == [str(torn)]
    assert [passing_over.conf.get(name) for name in NOTHING_PASSED_OVER] == ["true", "true"]


@pytest.mark.extended("one more analysis for the settings of a cluster")
def test_a_file_that_goes_away_under_way_is_missed_even_where_the_cluster_passes_over_such(
    passing_over: SparkSession, landed: Path, tmp_path: Path
) -> None:
    gone = connections(landed)
    told: list[str] = []

    def remove(line: str) -> None:
        told.append(line)
        if line.startswith("who is connected"):
            gone.unlink(missing_ok=True)

    analyze(passing_over, [str(landed)], tmp_path / "out", progress=remove)
    assert any("went away meanwhile" in line for line in told)


def test_damage_in_every_file_is_unusable_input(spark: SparkSession, landed: Path, tmp_path: Path) -> None:
    for file in landed.rglob("*.parquet"):
        damage(file, "at")
    with pytest.raises(UnusableInputError, match="damaged"):
        analyze(spark, [str(landed)], tmp_path / "out")


def test_sound_files_stay(landed: Path) -> None:
    found = find_landed([str(landed)])
    assert without_damaged(found) == found
