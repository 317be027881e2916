"""``hopwatch demo``: the real command, from sockets to a report that equals the truth."""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agent_process import eventually
from hosts import HOPWATCH, environment_of
from programs import Program, processes_naming
from system import BARE

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(BARE, reason="the demo has no bare form"),
]

ANALYSIS_SECONDS = 400
ALL_SECONDS = 600
Starting = Callable[[Path], Program]


@pytest.fixture
def starting(tmp_path: Path) -> Iterator[Starting]:
    """Start demos that leave their files in a folder."""
    started: list[Program] = []

    def start(out: Path) -> Program:
        argv = [str(HOPWATCH), "demo", "--out", str(out)]
        environment = environment_of("ignored", tmp_path / "ignored")
        started.append(Program(argv, environment, tmp_path / "demo.stderr"))
        return started[-1]

    yield start
    for demo in started:
        demo.reap()


@pytest.mark.scenario
@pytest.mark.extended("the whole demo, with Spark: more than a minute")
def test_the_demo_ends_in_a_report_that_equals_the_truth(tmp_path: Path) -> None:
    out = tmp_path / "demo"
    environment = environment_of("ignored", tmp_path / "ignored")
    done = subprocess.run(
        [HOPWATCH, "demo", "--out", out],
        env=environment,
        capture_output=True,
        text=True,
        timeout=ALL_SECONDS,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "The report equals the truth." in done.stdout
    assert "lost so far" in done.stdout
    assert "Report: demo/report/report.html" in done.stdout
    report = json.loads((out / "report" / "report.json").read_text())
    assert [hop["hop"] for hop in report["hops"] if hop["lost"]] == ["proxy → slow"]
    assert processes_naming(str(out)) == []


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demo_leaves_no_process_behind(
    tmp_path: Path, starting: Starting, interruption: signal.Signals
) -> None:
    journal = tmp_path / "demo" / "journal"
    demo = starting(tmp_path / "demo")
    demo.expect_line("lost so far")
    assert processes_naming(str(journal))
    demo.interrupt(interruption)
    demo.wait(status=130)
    assert processes_naming(str(journal)) == []
    assert "Traceback" not in demo.stderr


@pytest.mark.scenario
@pytest.mark.extended("the demo until Spark works: a minute")
def test_a_demo_interrupted_while_spark_works_leaves_no_process_behind(
    tmp_path: Path, starting: Starting
) -> None:
    demo = starting(tmp_path / "demo")
    eventually(lambda: "who is connected" in demo.stderr or not demo.is_running, ANALYSIS_SECONDS)
    assert demo.is_running, demo.stderr
    demo.interrupt(signal.SIGINT)
    demo.wait(status=130)
    assert processes_naming(str(tmp_path / "demo" / "journal")) == []
    assert "Traceback" not in demo.stderr


def test_a_folder_that_is_no_demo_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    done = subprocess.run(
        [HOPWATCH, "demo", "--out", tmp_path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"hopwatch demo: {tmp_path} is not empty and no demo's folder: choose another by --out"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["precious"]
