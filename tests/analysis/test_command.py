"""``hopwatch analyze`` as a process: how it ends when interrupted, and what it says of wrong arguments and places."""

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


@pytest.mark.extended("five cold starts of Spark, caught by polling")
@pytest.mark.parametrize(
    ("moment", "number", "words"),
    [
        (files_are_looked_at, signal.SIGINT, "interrupted"),
        (spark_submit_runs, signal.SIGTERM, "terminated"),
        (java_runs, signal.SIGINT, "interrupted"),
        (spark_works, signal.SIGINT, "interrupted"),
        (spark_works, signal.SIGTERM, "terminated"),
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


def test_a_file_in_place_of_the_folder_is_told_before_spark_starts(tmp_path: Path, landed: Path) -> None:
    (tmp_path / "out").write_text("mine")
    done = analyze(tmp_path, landed, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == f"hopwatch analyze: cannot write into {tmp_path / 'out'} (--out): Not a directory\n"
    assert (tmp_path / "out").read_text() == "mine"


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "yesterday"], "argument --from: 'yesterday' is no time: say it as 2026-05-04"),
        (["--guard", "-5"], "argument --guard: '-5' is no number of seconds: say 0 or more"),
        (["--guard", "nan"], "argument --guard: 'nan' is no number of seconds"),
    ],
)
def test_a_wrong_argument_is_told_with_an_example_of_a_right_one(
    tmp_path: Path, landed: Path, arguments: list[str], words: str
) -> None:
    done = analyze(tmp_path, landed, "--out", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert words in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "say with --out DIR where report and tables are to go"),
        (["--ouput", "report"], "unrecognized arguments: --ouput"),
    ],
)
def test_without_a_place_for_the_report_one_is_asked_for_and_a_misspelt_one_is_named(
    tmp_path: Path, landed: Path, arguments: list[str], words: str
) -> None:
    done = analyze(tmp_path, landed, *arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--once"], "--once goes with --follow"),
        (["--every", "0"], "--every goes with --follow"),
        (["--window", "60"], "--window goes with --follow"),
        (["--follow", "--to", "2026-05-04"], "--from and --to are for what has an end"),
        (["--follow", "--may-be-empty"], "--may-be-empty is for what has an end"),
        (
            ["--from", "2026-05-04T12", "--to", "2026-05-04"],
            "--from 2026-05-04 12:00:00 is later than --to 2026-05-04",
        ),
    ],
)
def test_arguments_that_do_not_go_together_are_named(
    tmp_path: Path, landed: Path, arguments: list[str], words: str
) -> None:
    done = analyze(tmp_path, landed, "--out", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert words in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_where_nothing_has_landed_yet_that_is_an_error_unless_it_may_be_so(
    tmp_path: Path, folder: str
) -> None:
    (tmp_path / "empty").mkdir()
    for arguments, status in ((), 2), (("--may-be-empty",), 0):
        done = analyze(tmp_path, tmp_path / folder, "--out", tmp_path / "out", *arguments)
        assert done.returncode == status
        assert str(tmp_path / folder) in done.stderr.splitlines()[-1]
        assert not (tmp_path / "out").exists()


def test_what_has_landed_and_cannot_be_used_is_an_error_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "landed" / "kind=weather").mkdir(parents=True)
    (tmp_path / "landed" / "kind=weather" / "x.parquet").write_text("rain")
    done = analyze(tmp_path, tmp_path / "landed", "--out", tmp_path / "out", "--may-be-empty")
    assert done.returncode == 2
    assert "'weather' is unknown" in done.stderr
