"""Landed files where pip's Spark cannot read: an object store, read by way of copies, or refused in words."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hopwatch_analysis.files.fetching import UnreadableBySparkError, require_reach
from hopwatch_analysis.job import analyze
from object_store import WEED, ObjectStore
from pyarrow import fs
from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(600),
    pytest.mark.extended("a bucket mounted, and read through Hadoop"),
]

MOUNTING = 30


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ObjectStore]:
    (tmp_path / "store").mkdir()
    store = ObjectStore(tmp_path / "store")
    store.start()
    try:
        yield store
    finally:
        store.kill()


@contextmanager
def mounted(store: ObjectStore, bucket: str, folder: Path) -> Iterator[Path]:
    """The bucket as a folder, by FUSE."""
    if not Path("/dev/fuse").exists() or os.geteuid() != 0:
        pytest.skip("mounting needs /dev/fuse and root")
    if shutil.which("fusermount3") is None:
        pytest.skip("mounting needs fusermount (fuse3)")
    folder.mkdir()
    options = [f"-filer={store.filer}", f"-dir={folder}", f"-filer.path=/buckets/{bucket}"]
    process = subprocess.Popen(
        [str(WEED), "mount", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + MOUNTING
        while not os.path.ismount(folder):
            assert process.poll() is None, "weed mount ended"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
        process.kill()
        process.wait()


def test_a_bucket_that_spark_cannot_read_is_read_by_copies_or_as_a_mounted_folder(
    spark: SparkSession, tmp_path: Path, landed: Path, store: ObjectStore
) -> None:
    filesystem = store.filesystem()
    filesystem.create_dir("events")
    fs.copy_files(str(landed), "events/landed", destination_filesystem=filesystem)
    expected = analyze(spark, [str(landed)], tmp_path / "local")
    said: list[str] = []
    report = analyze(spark, [store.uri("events/landed")], tmp_path / "copied", progress=said.append)
    assert report == expected
    (copying,) = [line for line in said if "copying" in line]
    assert copying.startswith("Spark cannot read s3a:// here (hadoop-aws")
    assert not Path(copying.rsplit(" to ", 1)[1]).exists()
    with pytest.raises(UnreadableBySparkError, match=r"hadoop-aws.* mount the bucket"):
        require_reach(spark, "s3a://events/landed")
    with mounted(store, "events", tmp_path / "mount") as folder:
        assert analyze(spark, [str(folder / "landed")], tmp_path / "mounted") == expected
