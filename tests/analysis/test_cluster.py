"""The same job on a real Spark cluster: a standalone master, two workers."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hopwatch_analysis.job import analyze
from hopwatch_simulate.fleet import Drawn, simulate
from hopwatch_simulate.landing import land
from pyspark.sql import SparkSession
from spark_cluster import SparkCluster

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SCRIPT = Path(__file__).parents[2] / "analysis" / "spark" / "hopwatch_analyze.py"
DEADLINE = 400
SHARED = "spark.sql.shuffle.partitions=2"
"""So few rows would else be moved by nobody: each step would be one task."""


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


def report_of(
    cluster: SparkCluster, command: list[str], landed: Path, out: Path, **environment: str
) -> dict[str, Any]:
    done = subprocess.run(
        [*command, str(landed), "--out", str(out)],
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


def assert_both_workers_did_it_without_python(logs: list[str]) -> None:
    assert len(logs) == 2
    for log in logs:
        assert "Running task" in log
        assert "PythonRunner" not in log


@pytest.mark.parametrize("started_by", ["spark-submit", "hopwatch"])
def test_the_report_is_the_same_and_the_workers_need_no_python(
    cluster: SparkCluster, landed: Path, expected: dict[str, Any], tmp_path: Path, started_by: str
) -> None:
    before = cluster.executor_logs()
    on_it = ["--master", cluster.master]
    if started_by == "hopwatch":
        command = [str(Path(sys.executable).with_name("hopwatch")), "analyze", *on_it]
        settings = {"PYSPARK_SUBMIT_ARGS": f"--conf {SHARED} pyspark-shell"}
    else:
        command = [str(cluster.home / "bin" / "spark-submit"), *on_it, "--conf", SHARED, str(SCRIPT)]
        settings = {"PYSPARK_PYTHON": sys.executable}
    assert report_of(cluster, command, landed, tmp_path / "out", **settings) == expected
    assert_both_workers_did_it_without_python(
        [log for path, log in cluster.executor_logs().items() if path not in before]
    )
