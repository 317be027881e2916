"""The same job on a real Spark cluster: a standalone master, two workers, which read a folder or a real S3 server."""

import json
import subprocess
import sys
import venv
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest
from hopwatch_analysis.job import analyze
from hopwatch_simulate.fleet import Drawn, simulate
from hopwatch_simulate.landing import land
from object_store import ObjectStore
from pyarrow import fs
from pyspark.sql import SparkSession
from s3_jars import submit_arguments
from spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800), pytest.mark.extended("a cluster, five minutes")]

SCRIPT = Path(__file__).parents[2] / "analysis" / "spark" / "hopwatch_analyze.py"
DEADLINE = 800
QUICK = "-XX:TieredStopAtLevel=1"
SETTINGS = {
    "spark.cores.max": "2",  # both workers', for which the job waits before it begins
    "spark.scheduler.minRegisteredResourcesRatio": "1",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    "spark.sql.shuffle.partitions": "2",  # so few rows would else be moved by nobody: each step would be one task
    "spark.driver.extraJavaOptions": QUICK,  # five Java processes share two cores here
    "spark.executor.extraJavaOptions": QUICK,
}
CONF = [part for name, value in SETTINGS.items() for part in ("--conf", f"{name}={value}")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    cluster = SparkCluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="module")
def landed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    land(simulate(Drawn(3, 3, 0.0, ("slow_behind_a_chain", "cut_and_mended", "killed_reader"))), folder)
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession, landed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    report = analyze(spark, [str(landed)], tmp_path_factory.mktemp("local"))
    assert report["incidents"]
    return report


@pytest.fixture(scope="module")
def workers_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python that has what Spark's workers need, and not hopwatch."""
    folder = tmp_path_factory.mktemp("workers") / "python"
    venv.create(folder, with_pip=False, symlinks=True)
    (theirs,) = folder.glob("lib/*/site-packages")
    ours = Path(pyspark.__file__).parents[1]
    for name in ("pyspark", "py4j", "pyarrow", *(path.name for path in ours.glob("pyarrow.libs"))):
        (theirs / name).symlink_to(ours / name)
    python = folder / "bin" / "python"
    assert subprocess.run(
        [python, "-c", "import hopwatch_judge"], capture_output=True, check=False
    ).returncode
    return python


@pytest.fixture
def store(tmp_path: Path, landed: Path) -> Iterator[ObjectStore]:
    """The same files in a bucket, ``events``."""
    (tmp_path / "store").mkdir()
    store = ObjectStore(tmp_path / "store")
    store.start()
    try:
        store.make_bucket("events")
        fs.copy_files(str(landed), "events/landed", destination_filesystem=store.filesystem())
        yield store
    finally:
        store.kill()


def report_of(
    cluster: SparkCluster, command: list[str], landed: str, out: Path, **environment: str
) -> dict[str, Any]:
    done = subprocess.run(
        [*command, landed, "--out", str(out)],
        env=cluster.environment | environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if " INFO " not in line]
    assert done.returncode == 0, "\n".join(said[-40:])
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    return report


def assert_both_workers_did_it(told: dict[Path, str], before: Container[Path]) -> None:
    logs = [log for path, log in told.items() if path not in before]
    assert len(logs) == 2
    assert all("Running task" in log for log in logs)
    assert any("PythonRunner" in log for log in logs)


def test_started_by_spark_submit_the_report_is_the_same_and_the_workers_need_no_hopwatch(
    cluster: SparkCluster,
    landed: Path,
    expected: dict[str, Any],
    workers_python: Path,
    tmp_path: Path,
) -> None:
    before = cluster.executor_logs()
    submit = [str(cluster.home / "bin" / "spark-submit"), "--master", cluster.master, *CONF]
    settings = {"PYSPARK_PYTHON": str(workers_python), "PYSPARK_DRIVER_PYTHON": sys.executable}
    assert report_of(cluster, [*submit, str(SCRIPT)], str(landed), tmp_path / "out", **settings) == expected
    assert_both_workers_did_it(cluster.executor_logs(), before)


def test_started_by_hopwatch_too_and_from_s3_which_the_workers_read_themselves(
    cluster: SparkCluster,
    store: ObjectStore,
    expected: dict[str, Any],
    workers_python: Path,
    tmp_path: Path,
) -> None:
    before = cluster.executor_logs()
    command = [str(Path(sys.executable).with_name("hopwatch")), "analyze", "--master", cluster.master]
    settings = {
        "PYSPARK_SUBMIT_ARGS": submit_arguments(store, *CONF),
        "PYSPARK_PYTHON": str(workers_python),
    }
    place = store.uri("events/landed")
    assert report_of(cluster, command, place, tmp_path / "out", **settings) == expected
    assert_both_workers_did_it(cluster.executor_logs(), before)
