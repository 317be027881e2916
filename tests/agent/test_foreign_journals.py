"""A journal directory that another user made where every user may is neither read nor cleaned."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from hopwatch.monitors.cgroup_handle import DOOR, hand_over
from hopwatch_agent.cleaning import Cleaner
from hopwatch_agent.journal.directory import scan
from hopwatch_agent.kernel.door import Door
from hopwatch_agent.live.draft import Tables
from journal_writer import JournalWriter

STRANGER, GROUP = 65534, 2000
SOCKET = "00000000000000a1"
PLANTING = f"""
import os, sys
from pathlib import Path
from hopwatch_agent.kernel.door import Door
journal, victim = map(Path, sys.argv[1:])
def plant(event, _arguments):
    if event == "os.chmod":
        (journal / "{DOOR}").unlink(missing_ok=True)
        (journal / "{DOOR}").symlink_to(victim)
sys.addaudithook(plant)
assert list(Door(journal, journal.stat().st_dev).taken()) == []
os._exit(0)
"""
AGENT_OF_A_POD = f"""
import os, sys
from pathlib import Path
from hopwatch.monitors.cgroup_handle import DOOR, hand_over
from hopwatch_agent.cleaning import Cleaner
from hopwatch_agent.journal.directory import scan
from hopwatch_agent.journal.hold import DirectoryHold
from hopwatch_agent.kernel.door import Door
from hopwatch_agent.live.draft import Tables
volume = Path(sys.argv[1])
os.setgroups([{GROUP}]), os.setresgid(65532, 65532, 65532), os.setresuid(0, 65532, 0)
DirectoryHold(volume).take()
door = Door(volume, volume.stat().st_dev)
assert list(door.taken()) == []
os.seteuid(0), os.seteuid(1000)
hand_over(volume / DOOR, "1" * 16)
os.seteuid(0), os.setresuid(65532, 65532, 65532)
print(*scan(volume), "handed")
Cleaner(volume).unlink_read(scan(volume), Tables())
door.close()
"""
Alive = Callable[[JournalWriter], AbstractContextManager[None]]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to another user")


@pytest.fixture
def for_all(tmp_path: Path) -> Path:
    """A folder as /tmp is one."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def theirs(path: Path) -> Path:
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return path


def a_folder(place: Path, _elsewhere: Path) -> None:
    theirs(place).chmod(0o777)


def a_link(place: Path, elsewhere: Path) -> None:
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    theirs(place)


@pytest.mark.parametrize("become", [a_folder, a_link])
def test_an_agent_does_not_start_on_a_directory_of_a_stranger(
    agent: AgentProcess, for_all: Path, tmp_path: Path, become: Callable[[Path, Path], None]
) -> None:
    agent.journal = for_all / "journal"
    JournalWriter(agent.journal).close()
    there = sorted(path.name for path in agent.journal.iterdir())
    become(agent.journal, tmp_path / "elsewhere")
    refused = agent.launch()
    out, errors = refused.communicate(timeout=120)
    assert (refused.returncode, out, errors.count("\n")) == (2, "", 1)
    assert (
        f"cannot read the journal directory {agent.journal}: {agent.journal} belongs to user 65534" in errors
    )
    assert sorted(path.name for path in agent.journal.iterdir()) == there


def test_an_agent_whose_directory_becomes_a_strangers_says_so_until_it_is_its_own(
    agent: AgentProcess, for_all: Path, tmp_path: Path
) -> None:
    agent.journal = for_all / "journal"
    agent.start()
    writer = JournalWriter(tmp_path / "made", lock=False)
    writer.opened(SOCKET)
    writer.close()
    there = sorted(path.name for path in (tmp_path / "made").iterdir())
    theirs(tmp_path / "made").rename(agent.journal)

    def said() -> str:
        return "".join(error["text"] for error in agent.get("/v1/status")["errors"])

    eventually(lambda: f"{agent.journal} belongs to user 65534" in said())
    assert not agent.get("/v1/status")["ready"]
    assert sorted(path.name for path in agent.journal.iterdir()) == there
    os.chown(agent.journal, 0, 0)
    eventually(lambda: agent.get("/v1/status")["ready"])
    eventually(lambda: [row["state"] for row in agent.rows("socket")])
    assert said() == ""


def test_a_directory_of_another_user_that_an_administrator_put_there_is_read(
    bench: Any, alive: Alive
) -> None:
    writer = bench.writer()
    theirs(bench.journal)
    with alive(writer):
        writer.opened(SOCKET)
        bench.tick()
        assert bench.view.socket(SOCKET).name
    bench.tick()
    assert list(bench.journal.iterdir()) == []


def test_nothing_is_unlinked_by_a_link_of_another_user(tmp_path: Path) -> None:
    elsewhere, directory = tmp_path / "elsewhere", tmp_path / "journal"
    elsewhere.mkdir()
    (elsewhere / "00000000000000a1.lock").touch()
    directory.symlink_to(elsewhere)
    theirs(directory)
    cleaner = Cleaner(directory)
    cleaner.unlink_read(scan(directory), Tables())
    assert [path.name for path in elsewhere.iterdir()] == ["00000000000000a1.lock"]
    assert "belongs to user 65534" in cleaner.failures[0]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of ours that every user can reach."""
    with TemporaryDirectory(prefix="hopwatch-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.mark.parametrize(("mode", "group"), [(0o777, 0), (0o2770, GROUP), (0o2777, GROUP)])
def test_an_agent_of_another_user_reads_and_cleans_a_volume_of_a_pod(
    place: Path, mode: int, group: int
) -> None:
    volume = place / "volume"
    volume.mkdir()
    os.chown(volume, 0, group)
    volume.chmod(mode)
    lock = volume / "00000000000000a1.lock"  # of a process that ended before it had a journal
    lock.touch(mode=0o640)
    os.chown(lock, 1000, GROUP)
    arguments = [sys.executable, "-c", AGENT_OF_A_POD, volume]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout.split(), done.stderr) == ([lock.stem, "handed"], "")
    assert list(volume.iterdir()) == []


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    door = Door(tmp_path, tmp_path.stat().st_dev)
    yield door
    door.close()


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_everybody_may_send_to_the_socket_whatever_the_umask(door: Door, tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert list(door.taken()) == []
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / DOOR).stat().st_mode) == 0o666
    assert [path.name for path in tmp_path.iterdir()] == [DOOR]


def test_a_link_that_takes_the_place_of_the_socket_at_once_changes_no_other_file(tmp_path: Path) -> None:
    journal, victim = tmp_path / "journal", tmp_path / "victim"
    journal.mkdir()
    victim.touch(mode=0o600)
    subprocess.run([sys.executable, "-c", PLANTING, journal, victim], check=True, timeout=60)
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600
    assert stat.S_IMODE((journal / DOOR).lstat().st_mode) == 0o666


def test_a_path_longer_than_the_address_of_a_socket_may_be_is_reached(tmp_path: Path) -> None:
    journal = tmp_path / ("x" * 120)
    journal.mkdir()
    door = Door(journal, journal.stat().st_dev)
    try:
        assert list(door.taken()) == []
        hand_over(journal / DOOR, "1" * 16)
    finally:
        door.close()
    assert list(journal.iterdir()) == []
