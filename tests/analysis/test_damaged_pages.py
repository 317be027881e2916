"""A Parquet file can have a sound footer, and pages that nobody can read."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.files.damage import without_damaged
from hopwatch_analysis.files.finding import find_landed
from hopwatch_analysis.job import analyze
from hopwatch_analysis.spark.session import set_to
from hopwatch_analysis.spark.settings import NOTHING_PASSED_OVER
from landed_folder import LandedFolder
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


def through_a_proxy(story: LandedFolder, proxy: str, *names: str) -> None:
    """Streams of hosts of their own, each to a reader of its topic, all through one proxy; each reader lacks the end."""
    front, back = f"{proxy}-in", f"{proxy}-out"
    story.socket(front, "XSUB", closed=70)
    story.socket(back, "XPUB", closed=70, probed=False)
    story.proxy(proxy, front, back)
    for name in names:
        cup = f"cup of {name}"
        story.socket(name, "PUB", host=f"of-{name}", closed=50)
        story.socket(cup, "SUB", closed=60)
        story.subscribe(cup, name)
        story.link(front, name)
        story.link(back, cup)
        story.sent(name, 100, 40, topic=name)
        story.got(cup, name, 90, 0, 89, 45)
    story.counters(front, 69, final=True, proxied_in_frames=200 * len(names))


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


def test_damaged_files_are_named_and_what_they_may_have_told_to_have_come_is_not_said_to_be_lost(
    spark: SparkSession, tmp_path: Path
) -> None:
    story = LandedFolder()
    for host in ("whole", "torn"):
        pub, sub = f"{host}-quotes", f"{host}-reader"
        story.socket(pub, "PUB", closed=50)
        story.socket(sub, "SUB", host=host, closed=60)
        story.subscribe(sub, "")
        story.link(pub, sub)
        story.sent(pub, 100, 40)
        story.got(sub, pub, 90, 0, 89, 45)
    story.socket("jobs", "PUSH", closed=50)
    for pull, host, killed in (("first", "whole", 30.0), ("second", "torn", None)):
        story.socket(pull, "PULL", host=host, closed=None if killed else 60)
        story.link("jobs", pull, down=killed)
        story.got(pull, "jobs", 40, 0, 99, 29 if killed else 45, final=not killed)
    story.sent("jobs", 100, 40)
    story.killed("first", 30)
    through_a_proxy(story, "pot", "tea", "milk")
    through_a_proxy(story, "urn", "cocoa")
    story.socket("lone", "PUSH", host="torn", closed=50, linger=0)
    story.watched("lone")
    story.sent("lone", 5, 40)
    for name, host in (("plain", "whole"), ("untold", "torn")):
        story.bare_socket(name, "PUB", host=host, closed=50)
        story.counters(name, 49, final=True, sent=7)
    landed = story.write(tmp_path / "landed")
    for file in ("kind=lane/*/host=torn", "kind=connection/*/host=of-milk", "kind=process/*/host=whole"):
        sound = next(landed.glob(f"{file}/*.parquet"))
        usage = sound.relative_to(landed).parts[1:]
        torn = sound if "whole" not in file else landed.joinpath("kind=usage", *usage)
        torn.parent.mkdir(parents=True, exist_ok=True)
        torn.with_name("batch-2.parquet").write_bytes(b"hello")
    connected = next(landed.glob("kind=connection/*/host=torn/*.parquet"))
    extra = connected.with_name("batch-2.parquet")
    extra.write_bytes(connected.read_bytes())
    damage(extra, "remote")
    told: list[str] = []
    report = analyze(spark, [str(landed)], tmp_path / "out", progress=told.append)
    assert len(report["skipped_files"]) == 4
    assert any(str(extra) in line and "damaged" in line for line in told)
    reasons = {row["name"]: row["reason"] for row in report["not_checked"]}
    assert reasons == {"plain": "unstamped", "untold": "unreadable"}
    shared_out = [row for row in report["ledger"] if row["name"] == "jobs"]
    assert (sum(row["lost"] for row in shared_out), sum(row["unexplained"] for row in shared_out)) == (0, 20)
    books = {
        row["receiver_name"]: (row["lost"], row["unexplained"])
        for row in report["ledger"]
        if row not in shared_out
    }
    assert books == {
        "whole-reader": (10, 0),
        "torn-reader": (0, 10),
        "cup of tea": (0, 10),
        "cup of milk": (0, 10),
        "cup of cocoa": (10, 0),
        None: (0, 5),
    }
    assert {item["hop"] for item in report["incidents"]} == {
        "whole-quotes → whole-reader",
        "urn → cup of cocoa",
    }
