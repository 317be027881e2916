"""An application never notices hopwatch: not even where hopwatch cannot work."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from hosts import Host, environment_of
from system import BARE, PROGRAMS

pytestmark = pytest.mark.skipif(BARE, reason="it compares with bare sockets itself")

OWN_STATUS = 7


def run_application(environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, str(PROGRAMS / "every_call.py")]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the application prints when its sockets are not wrapped at all."""
    journal = tmp_path_factory.mktemp("bare") / "journal"
    done = run_application(environment_of("bare", journal, {"SCENARIO_BARE": "1"}))
    assert (done.returncode, done.stderr) == (OWN_STATUS, "")
    assert not journal.exists()
    return done.stdout


def assert_unnoticed(done: subprocess.CompletedProcess[str], bare: str) -> None:
    assert done.stdout == bare
    assert done.returncode == OWN_STATUS
    assert len(done.stderr.splitlines()) <= 1, done.stderr


@contextmanager
def small_memory_disk(folder: Path, size: str) -> Iterator[Path]:
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = subprocess.run(mounting, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_working_journal_is_not_noticed(tmp_path: Path, bare: str) -> None:
    done = run_application(environment_of("here", tmp_path / "journal"))
    assert_unnoticed(done, bare)
    assert done.stderr == ""
    assert list((tmp_path / "journal").glob("*.events"))


def test_a_dead_agent_is_not_noticed(tmp_path: Path, bare: str) -> None:
    pytest.importorskip("hopwatch_api.command", reason="applications need less than an agent does")
    host = Host("here", tmp_path / "here", with_agent=True)
    assert host.agent is not None
    try:
        assert host.url
        host.agent.sigkill()
    finally:
        host.agent.reap()
    done = run_application(host.environment)
    assert_unnoticed(done, bare)
    assert done.stderr == ""


def test_disabled_means_that_nothing_is_written(tmp_path: Path, bare: str) -> None:
    journal = tmp_path / "journal"
    done = run_application(environment_of("here", journal, {"HOPWATCH_DISABLED": "1"}))
    assert_unnoticed(done, bare)
    assert done.stderr == ""
    assert not journal.exists()


def test_a_directory_that_cannot_be_made_costs_one_warning(tmp_path: Path, bare: str) -> None:
    (tmp_path / "file").touch()
    done = run_application(environment_of("here", tmp_path / "file" / "journal"))
    assert_unnoticed(done, bare)
    assert str(tmp_path / "file" / "journal") in done.stderr


def test_a_directory_that_cannot_be_written_costs_one_warning(bare: str) -> None:
    done = run_application(environment_of("here", Path("/proc/self/task")))
    assert_unnoticed(done, bare)
    assert "/proc/self/task" in done.stderr


def test_a_file_in_place_of_the_directory_costs_one_warning(tmp_path: Path, bare: str) -> None:
    (tmp_path / "journal").write_text("not a directory")
    done = run_application(environment_of("here", tmp_path / "journal"))
    assert_unnoticed(done, bare)
    assert str(tmp_path / "journal") in done.stderr
    assert (tmp_path / "journal").read_text() == "not a directory"


@pytest.mark.parametrize(
    "size",
    [
        pytest.param("64k", id="no room for the counters"),
        pytest.param("96k", id="no room for the events"),
    ],
)
def test_a_full_disk_costs_one_warning_at_most(tmp_path: Path, bare: str, size: str) -> None:
    with small_memory_disk(tmp_path / "disk", size) as disk:
        done = run_application(environment_of("here", disk / "journal"))
    assert_unnoticed(done, bare)
