"""``hopwatch analyze`` as a process: what it tells, how it ends when interrupted, and what it says where Spark cannot work."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from landed_folder import LandedFolder, id_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

COMMAND = [sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())", "analyze"]
DEADLINE = 220


def environment_of(mark: Path) -> dict[str, str]:
    """All that the command starts carries the mark too."""
    return os.environ | {"STARTED_BY_TEST": str(mark)}


def analyze(mark: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    argv = [*COMMAND, *map(str, arguments)]
    environment = environment_of(mark)
    return subprocess.run(
        argv, capture_output=True, text=True, env=environment, timeout=DEADLINE, check=False
    )


def marked_processes(mark: Path, program: str = "") -> list[int]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            about = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"STARTED_BY_TEST={mark}".encode() in about and program.encode() in about:
            found.append(int(process.name))
    return found


def await_condition(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


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
        await_condition(lambda: moment(tmp_path, said))
        os.killpg(process.pid, number)  # as a terminal does: to the whole foreground group
        stdout, _ = process.communicate(timeout=120)  # ends only when nobody holds the pipe any more
    finally:
        process.kill()
    assert process.returncode == 128 + number
    assert stdout == b""
    lines = said.read_text().splitlines()
    assert lines[-1] == f"hopwatch analyze: {words}"
    assert [line for line in lines if not line.startswith("hopwatch analyze: ")] == []
    await_condition(
        lambda: not marked_processes(tmp_path)
    )  # what Java has begun itself takes a moment to end


@pytest.fixture
def restarted(tmp_path: Path) -> Path:
    """The subscriber is killed and started again, then the publisher is; one more has a name that nobody gave."""
    story = LandedFolder()
    lives = (
        ("src-1", "PUB", 0, 40),
        ("disp-1", "SUB", 0, 10),
        ("disp-2", "SUB", 12, None),
        ("src-2", "PUB", 42, None),
    )
    for pid, (life, type_, opened, killed) in enumerate(lives, start=101):
        story.socket(life, type_, opened=opened, closed=None if killed else 60, called=life[:-2])
        story.process(f"process of {life}", "started", opened, pid=pid)
        if killed:
            story.killed(life, killed)
    unnamed = f"sub-{id_of('unnamed')[:6]}"
    story.socket("unnamed", "SUB", opened=42, closed=60, called=unnamed)
    story.process("process of unnamed", "started", 42, pid=105)
    for sub in ("disp-1", "disp-2", "unnamed"):
        story.subscribe(sub, "")
    story.link("src-1", "disp-1", down=10, sent=0)
    story.link("src-1", "disp-2", up=12, down=40, sent=120)
    story.link("src-2", "disp-2", up=42.1)
    story.link("src-2", "unnamed", up=42.1)
    story.sent("src-1", 400, 40, final=False)
    story.got("disp-1", "src-1", 90, 0, 89, 9.9, final=False)
    story.got("disp-2", "src-1", 270, 120, 389, 45)
    story.sent("src-2", 100, 55)
    story.got("disp-2", "src-2", 100, 0, 99, 55)
    story.got("unnamed", "src-2", 100, 0, 99, 55)
    return story.write(tmp_path / "landed")


def test_a_whole_run_tells_restarted_processes_apart_and_leaves_no_java_process(
    tmp_path: Path, restarted: Path
) -> None:
    done = subprocess.run(
        [*COMMAND, str(restarted), "--out", str(tmp_path / "out")],
        env=environment_of(tmp_path) | {"TZ": "Asia/Kolkata"},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    strange = [line for line in done.stderr.splitlines() if not line.startswith("hopwatch analyze: ")]
    assert strange == []
    await_condition(
        lambda: not marked_processes(tmp_path)
    )  # what Java has begun itself takes a moment to end
    old, new = "src (pid 101, opened 12:00:00)", "src (pid 104, opened 12:00:42)"
    first, second = "disp (pid 102, opened 12:00:00)", "disp (pid 103, opened 12:00:12)"
    unnamed = f"sub-{id_of('unnamed')[:6]} (pid 105, process of unnamed)"
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    hops = {f"{old} → {first}", f"{old} → {second}", f"{new} → {second}", f"{new} → {unnamed}"}
    assert {hop["hop"] for hop in report["hops"]} == hops
    assert {hop["to"]["name"] for hop in report["hops"]} == {"disp", f"sub-{id_of('unnamed')[:6]}"}
    assert {item["hop"] for item in report["incidents"]} <= hops
    assert {item["started_at"][:14] for item in report["incidents"]} == {"2026-05-04T12:"}
    assert f"\n{second}, from {new}, lost nothing: 100 of 100 delivered.\n" in done.stdout
    assert f"\n{unnamed}, from {new}, lost nothing: 100 of 100 delivered.\n" in done.stdout
    assert f"\n{old} → {second}: 10 messages lost\n  When:    2026-05-04 12:00:" in done.stdout
    assert "  Why:     sender_died (exact): " in done.stdout


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
    environment = environment_of(tmp_path) | {"JAVA_HOME": str(tmp_path / "nowhere")}
    argv = [*COMMAND, str(landed), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        argv, capture_output=True, text=True, env=environment, timeout=DEADLINE, check=False
    )
    assert done.returncode == 2
    assert "Java" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
