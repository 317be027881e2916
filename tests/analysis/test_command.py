"""``hopwatch analyze`` as a process: how it ends when interrupted, and what it says where Spark cannot work."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from agent_process import eventually
from analyze_command import COMMAND, DEADLINE, analyze, environment_of, marked_processes

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def spark_submit_runs(mark: Path, _said: Path) -> bool:
    """One of the shell scripts, or the Java process that asks for Spark's command, is just there."""
    beginning = ("bin/spark-submit", "bin/spark-class", "org.apache.spark.launcher.Main")
    return any(marked_processes(mark, program) for program in beginning)


def java_runs(mark: Path, _said: Path) -> bool:
    return bool(marked_processes(mark, "org.apache.spark.deploy.SparkSubmit"))


def spark_works(_mark: Path, said: Path) -> bool:
    return "what each receiver was owed" in said.read_text()


def files_are_looked_at(_mark: Path, said: Path) -> bool:
    return "landed files to read" in said.read_text()


@pytest.mark.extended("four cold starts of Spark, caught by polling")
@pytest.mark.parametrize(
    ("moment", "number", "words"),
    [
        (files_are_looked_at, signal.SIGINT, "interrupted"),
        (spark_submit_runs, signal.SIGTERM, "terminated"),
        (java_runs, signal.SIGINT, "interrupted"),
        (spark_works, signal.SIGINT, "interrupted"),
    ],
)
def test_a_signal_ends_it_with_one_line_and_no_java_process_left(
    tmp_path: Path, landed: Path, moment: Callable[[Path, Path], bool], number: signal.Signals, words: str
) -> None:
    said = tmp_path / "said"
    with said.open("wb") as stderr:
        process = subprocess.Popen(
            [*COMMAND, str(landed), "--out", str(tmp_path / "out")],
            env=environment_of(tmp_path),
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
    try:
        eventually(lambda: moment(tmp_path, said), DEADLINE)
        os.killpg(process.pid, number)  # as a terminal does: to the whole foreground group
        stdout, _ = process.communicate(timeout=120)  # ends only when nobody holds the pipe any more
    finally:
        process.kill()
    assert process.returncode == 128 + number
    assert stdout == b""
    lines = said.read_text().splitlines()
    assert lines[-1] == f"hopwatch analyze: {words}"
    assert [line for line in lines if not line.startswith("hopwatch analyze: ")] == []
    # processes that Java started take a moment to end
    eventually(lambda: not marked_processes(tmp_path), DEADLINE)


def test_a_folder_that_cannot_be_made_is_told_before_spark_starts(tmp_path: Path, landed: Path) -> None:
    done = analyze(tmp_path, landed, "--out", "/proc/nope")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "hopwatch analyze: cannot write into /proc/nope (--out): No such file or directory\n"
    )


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    mounted = subprocess.run(mounting, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.extended("a cold start and a whole analysis; test_failures fills a disk by the last step alone")
def test_a_disk_that_is_full_later_is_told_as_such(tmp_path: Path, landed: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        done = analyze(tmp_path, landed, "--out", disk / "out")
    assert done.returncode == 2
    assert "damaged" not in done.stderr
    assert "could not write a file: No space left on device" in done.stderr.splitlines()[-1]


def test_a_master_that_is_none_is_named_with_what_spark_says_of_it(tmp_path: Path, landed: Path) -> None:
    done = analyze(tmp_path, landed, "--out", tmp_path / "out", "--master", "sparky")
    assert done.returncode == 2
    assert "Spark did not start on sparky: " in done.stderr
    assert "Could not parse Master URL" in done.stderr.splitlines()[-1]


def test_java_that_is_not_there_is_told(tmp_path: Path, landed: Path) -> None:
    done = analyze(tmp_path, landed, "--out", tmp_path / "out", JAVA_HOME=str(tmp_path / "nowhere"))
    assert done.returncode == 2
    assert "Java" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
