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


def report_of(cluster: SparkCluster, command: list[str], landed: Path, out: Path) -> dict[str, Any]:
    done = subprocess.run(
        [*command, str(landed), "--out", str(out)],
        env=cluster.environment | {"PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if " INFO " not in line]
    assert done.returncode == 0, "\n".join(said[-40:])
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    return report


def test_a_session_on_a_cluster_is_given_its_master(cluster: SparkCluster) -> None:
    program = """
import sys
from hopwatch_analysis.spark.session import spark_session
with spark_session(sys.argv[1]) as spark:
    print(spark.sparkContext.master, spark.range(100).repartition(4).count())
"""
    done = subprocess.run(
        [sys.executable, "-c", program, cluster.master],
        env=cluster.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.stdout.split() == [cluster.master, "100"], done.stderr[-2000:]


def test_spark_submit_gives_the_same_report_and_the_workers_need_no_python(
    cluster: SparkCluster, landed: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    before = cluster.executor_logs()
    # so few rows would else be moved by nobody: each step would be one task
    shared = ["--conf", "spark.sql.shuffle.partitions=2"]
    submit = [str(cluster.home / "bin" / "spark-submit"), "--master", cluster.master, *shared, str(SCRIPT)]
    assert report_of(cluster, submit, landed, tmp_path / "out") == expected
    logs = [log for path, log in cluster.executor_logs().items() if path not in before]
    assert len(logs) == 2
    for log in logs:
        assert "Running task" in log
        assert "PythonRunner" not in log
