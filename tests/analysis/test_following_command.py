"""``hopwatch analyze --follow`` as a process: killed, ended and started again, and what it refuses to go on from."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from feed_story import feed_with_two_losses
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.following.books import Book, Books
from hopwatch_analysis.following.checkpoint import CheckpointError, claimed
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.spark.settings import QUICK_START
from landed_folder import START
from landed_steps import LandedSteps, landed_incidents, lost_by_cause

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

COMMAND = [sys.executable, "-c", "import sys; from hopwatch.cli import main; sys.exit(main())", "analyze"]
DEADLINE = 400
SUPPORT = Path(__file__).parents[1] / "support"


class Job:
    """A following job in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._said = folder / "said"
        self._said.write_bytes(b"")
        where = [
            str(folder / "landed"),
            "--out",
            str(folder / "out"),
            "--follow",
            "--late",
            "15",
            "--every",
            "1",
        ]
        # one that goes on for long has Java compile well, which a few turns do not win back
        environment = os.environ | {"SPARK_SUBMIT_OPTS": " ".join(QUICK_START)}
        with self._said.open("wb") as stderr:
            self.process = subprocess.Popen([*COMMAND, *where, *arguments], stderr=stderr, env=environment)

    @property
    def lines(self) -> list[str]:
        return [line.removeprefix("hopwatch analyze: ") for line in self._said.read_text().splitlines()]

    def await_line(self, beginning: str, times: int = 1) -> None:
        deadline = time.monotonic() + DEADLINE
        while sum(line.startswith(beginning) for line in self.lines) < times:
            assert time.monotonic() < deadline, self.lines
            assert self.process.poll() is None, self.lines
            time.sleep(0.01)

    def ended(self) -> int:
        return self.process.wait(DEADLINE)


@pytest.mark.extended("seven minutes of processes with Spark")
def test_killed_or_ended_at_any_time_and_started_again_it_tells_everything_once(tmp_path: Path) -> None:
    steps = LandedSteps(feed_with_two_losses(), tmp_path / "landed")
    out = tmp_path / "out"
    steps.land(60)
    first = Job(tmp_path)
    first.await_line("1 incident landed")
    assert [row["lost"] for row in landed_incidents(out)] == [50]
    steps.land(190)
    first.await_line("the ledger", times=2)
    os.kill(first.process.pid, signal.SIGKILL)
    first.ended()
    told = [row["lost"] for row in landed_incidents(out)]
    assert told in ([50], [50, 30])

    second = Job(tmp_path)
    second.await_line("1 incident landed" if told == [50] else "the ledger")
    second.process.send_signal(signal.SIGTERM)
    assert second.ended() == 0, second.lines
    assert second.lines[-1] == "stopped"
    assert lost_by_cause(landed_incidents(out)) == {("quotes → reader", "slow_receiver", "inferred"): 80}
    assert sum(row["lost"] for row in json.loads((out / "report.json").read_text())["incidents"]) == 80


@pytest.mark.extended("five minutes of processes with Spark")
def test_what_has_ended_is_closed_once_nothing_lands_any_more(tmp_path: Path) -> None:
    steps = LandedSteps(feed_with_two_losses(), tmp_path / "landed")
    steps.land(26)  # with what else would land, the loss at second 22 would be open until second 34
    job = Job(tmp_path, "--guard", "1", "--late", "1")
    job.await_line("1 incident landed")
    job.process.send_signal(signal.SIGTERM)
    assert job.ended() == 0, job.lines
    assert [row["lost"] for row in landed_incidents(tmp_path / "out")] == [50]


def test_killed_at_any_file_operation_incidents_are_published_once_though_somebody_takes_them_away(
    tmp_path: Path,
) -> None:
    subprocess.run([sys.executable, str(SUPPORT / "killed_books.py"), str(tmp_path)], check=True)
    taken = {
        int(folder.name): [pq.ParquetFile(path).read().to_pylist() for path in folder.glob("taken/*/*")]
        for folder in tmp_path.iterdir()
    }
    assert len(taken) > 20
    assert set(map(str, taken.values())) == {str([[{"lost": 7}]])}
    assert [*tmp_path.glob("*/books/*.new"), *tmp_path.glob("*/incidents/.*")] == []
    assert {Books(folder / "books", folder / "incidents").last().known for folder in tmp_path.iterdir()} == {
        frozenset({"a.parquet"})
    }


def test_books_that_cannot_be_kept_are_told_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "books").write_text("")
    with pytest.raises(AnalysisError, match=f"cannot read or write {tmp_path / 'books'}: File exists"):
        Books(tmp_path / "books", tmp_path / "incidents").last()


@pytest.mark.parametrize("name", ["book.json", "known.parquet"])
@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"cut": "soon", "told_through": 7}'])
def test_a_damaged_book_is_named(tmp_path: Path, name: str, content: str) -> None:
    books = Books(tmp_path / "books", tmp_path / "incidents")
    books.last()
    books.write(Book(1, told_through=START, known=frozenset({"a.parquet"})), None, lambda _: None)
    assert books.last().known == {"a.parquet"}
    (tmp_path / "books" / "1" / name).write_text(content)
    with pytest.raises(AnalysisError, match=f"{tmp_path / 'books' / '1'} is damaged .* --out"):
        books.last()


def claim(folder: Path, *events: str) -> None:
    with claimed(folder / "checkpoint", folder / "incidents", events):
        pass


def test_a_checkpoint_of_other_folders_or_of_another_version_is_refused(tmp_path: Path) -> None:
    claim(tmp_path, "/landed")
    claim(tmp_path, "/landed")
    with pytest.raises(CheckpointError, match="follows /landed, not /others: say another --out"):
        claim(tmp_path, "/others")
    identity = tmp_path / "checkpoint" / "job.json"
    identity.write_text(identity.read_text().replace('"checkpoint_version": 1', '"checkpoint_version": 9'))
    with pytest.raises(CheckpointError, match="is of version 9, this program's is 1"):
        claim(tmp_path, "/landed")
    identity.write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read"):
        claim(tmp_path, "/landed")


def test_incidents_without_their_checkpoint_are_not_landed_again(tmp_path: Path) -> None:
    (tmp_path / "incidents" / "batch=1").mkdir(parents=True)
    with pytest.raises(CheckpointError, match="would be told twice"):
        claim(tmp_path, "/landed")


def test_one_process_follows_at_a_time(tmp_path: Path) -> None:
    claim(tmp_path, "/landed")
    program = (
        "import fcntl, sys; lock = open(sys.argv[1], 'r+'); fcntl.lockf(lock, fcntl.LOCK_EX); "
        "print(flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "checkpoint" / "lock")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(CheckpointError, match="another process follows"):
            claim(tmp_path, "/landed")
    finally:
        holder.communicate()


def test_a_window_that_closes_before_incidents_do_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match=r"--window 60 is too short .* say 300 or more"):
        Following(("/landed",), tmp_path, guard=5, late=60, window=60)
