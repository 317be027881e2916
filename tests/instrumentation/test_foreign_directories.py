"""Nothing is written into a journal directory that another user made where every user may."""

import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hopwatch.cgroups import find_hierarchy
from hopwatch.errors import JournalError
from hopwatch.journal.journal import FileJournal
from hopwatch.monitors.cgroup_handle import DOOR, hand_over
from hopwatch.ownership import ForeignOwnerError, foreign_owner, opened_folder
from hopwatch.settings import Settings
from journal_reader import Journal

STRANGER, APPLICATION, GROUP = 65534, 1000, 2000
PROGRAM = """
import os, sys
import hopwatch, zmq
user, group, *groups = map(int, sys.argv[1].split(","))
context = zmq.Context()
first = context.socket(zmq.PUSH)
os.setgroups(groups), os.setresgid(group, group, group), os.setresuid(user, user, user)
for socket in (first, context.socket(zmq.PULL)):
    hopwatch.wrap(socket).bind("inproc://" + str(socket.type))
context.destroy(linger=0)
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to another user")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of ours that every user can reach."""
    with TemporaryDirectory(prefix="hopwatch-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def for_all(place: Path) -> Path:
    """A folder as /tmp is one."""
    return folder(place / "tmp", 0o1777)


def theirs(path: Path, user: int = STRANGER) -> Path:
    os.chown(path, user, user, follow_symlinks=False)
    return path


def folder(path: Path, mode: int = 0o700) -> Path:
    path.mkdir()
    path.chmod(mode)
    return path


def link(path: Path, target: Path) -> Path:
    path.symlink_to(target)
    return path


def run(directory: Path, user: int = 0, groups: tuple[int, ...] = (), **environ: str) -> str:
    """What an application that writes there says."""
    given = {**os.environ, "HOPWATCH_DIR": str(directory), "HOPWATCH_DISABLED": "", **environ}
    ids = ",".join(map(str, (user, user, *groups)))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, ids],
        env=given,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == ""
    return done.stderr


def fill(journal: FileJournal) -> None:
    """Write more than one segment takes."""
    for _ in range(1100):
        journal.event("filler", text="x" * 1000)


def journal_in(directory: Path) -> FileJournal:
    return FileJournal(Settings(directory, False, "host", None, None, False))


@pytest.mark.parametrize("user", [0, APPLICATION])
def test_an_application_writes_nothing_where_a_stranger_decides_and_warns_once(
    place: Path, for_all: Path, user: int
) -> None:
    elsewhere = folder(place / "elsewhere", 0o777)
    own = theirs(folder(for_all / "folder", 0o777))
    leading = theirs(link(for_all / "link", elsewhere))
    for directory, named in ((own, own), (own / "below", own), (leading, leading), (leading / "x", leading)):
        said = run(directory, user)
        assert said.count("\n") == 1, said
        assert (
            f"counts nothing in this process: cannot use {directory}: {named} belongs to user 65534" in said
        )
    assert list(own.iterdir()) == list(elsewhere.iterdir()) == []


def test_what_root_or_the_application_itself_made_is_used(place: Path, for_all: Path) -> None:
    elsewhere = theirs(folder(place / "elsewhere"), APPLICATION)
    own = theirs(folder(for_all / "own"), APPLICATION)
    leading = (link(for_all / "roots", elsewhere), theirs(link(for_all / "owns", elsewhere), APPLICATION))
    for directory in (own, own / "new" / "and-new", for_all / "made", *leading):
        assert run(directory, APPLICATION) == ""
        assert Journal(directory).events("opened")
    assert stat.S_IMODE((own / "new" / "and-new").stat().st_mode) == 0o700


def test_a_directory_of_another_user_that_an_administrator_put_there_is_used(place: Path) -> None:
    directory = theirs(folder(place / "journal"), APPLICATION)
    assert run(directory) == ""
    assert Journal(directory).events("opened")


@pytest.mark.parametrize(("mode", "group"), [(0o777, 0), (0o2770, GROUP), (0o2777, GROUP)])
def test_a_volume_of_a_pod_is_used_by_any_user_whom_it_lets_in(for_all: Path, mode: int, group: int) -> None:
    volume = for_all / "volume"
    volume.mkdir()
    os.chown(volume, 0, group)
    volume.chmod(mode)
    assert run(volume, APPLICATION, (GROUP,), HOPWATCH_FILE_MODE="0640") == ""
    (events,) = volume.glob("*.events")
    assert (events.stat().st_uid, stat.S_IMODE(events.stat().st_mode)) == (APPLICATION, 0o640)


def test_who_may_list_no_journals_may_write_one(for_all: Path) -> None:
    drop = folder(for_all / "drop", 0o1733)
    assert run(drop, APPLICATION) == ""
    assert Journal(drop).events("opened")


def test_a_directory_that_becomes_a_strangers_gets_nothing_more(place: Path, for_all: Path) -> None:
    directory, elsewhere = folder(for_all / "journal"), folder(place / "elsewhere")
    journal = journal_in(directory)
    directory.rename(place / "before")
    theirs(link(directory, elsewhere))
    fill(journal)
    assert list(elsewhere.iterdir()) == []
    assert Journal(place / "before").header()["events_lost"] > 0
    journal.abandon()


def test_planted_names_are_neither_followed_nor_written_to(place: Path) -> None:
    directory, victim = folder(place / "journal", 0o777), place / "victim"
    victim.write_text("as it was")
    victim.chmod(0o640)
    journal = journal_in(directory)
    for index in range(1, 18):
        link(directory / f"{journal.process}.{index:04d}.events", victim)
        link(directory / f"{journal.process}.{index:04d}.counters.new", victim)
        link(directory / f"{journal.process}.{index:04d}.counters", victim)
    fill(journal)
    for _ in range(65):
        slot = journal.socket_slot()
    assert slot.place == (1, 0)  # in a file that has taken the name of the link
    assert (victim.read_text(), stat.S_IMODE(victim.stat().st_mode)) == ("as it was", 0o640)
    journal.abandon()


def test_a_default_directory_must_be_ours_wherever_it_is(place: Path) -> None:
    directory = theirs(folder(place / "hopwatch"))
    with pytest.raises(JournalError, match="it belongs to user 65534"):
        FileJournal(Settings(directory, True, "host", None, None, False))


def test_each_link_of_a_chain_is_looked_at(place: Path, for_all: Path) -> None:
    last = folder(place / "last")
    strangers = theirs(link(for_all / "strangers", last))
    roots = link(place / "roots", Path("tmp/strangers"))
    assert foreign_owner(roots) == f"{strangers} belongs to user 65534, and is a symbolic link"
    os.chown(strangers, 0, 0, follow_symlinks=False)
    with opened_folder(roots) as descriptor:
        assert os.fstat(descriptor).st_ino == last.stat().st_ino


def test_nothing_is_created_by_way_of_a_strangers_link(place: Path, for_all: Path) -> None:
    elsewhere = folder(place / "elsewhere")
    leading = theirs(link(for_all / "link", elsewhere))
    with pytest.raises(ForeignOwnerError), opened_folder(leading / "a" / "b", 0o700):
        pass
    assert list(elsewhere.iterdir()) == []


def test_links_that_lead_in_a_circle_are_left(place: Path) -> None:
    link(place / "circle", place / "circle")
    with pytest.raises(OSError, match="Too many levels"), opened_folder(place / "circle"):
        pass


def test_a_link_in_the_place_of_the_agents_socket_leads_nowhere(place: Path) -> None:
    if find_hierarchy() is None:
        pytest.skip("no cgroups are mounted that account for memory")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(place / "other"))
        other.setblocking(False)
        link(place / DOOR, place / "other")
        with pytest.raises(OSError, match="non-socket"):
            hand_over(place / DOOR, "1" * 16)
        with pytest.raises(BlockingIOError):
            other.recv(1)
        (place / DOOR).unlink()
        (place / "other").rename(place / DOOR)
        with suppress(BlockingIOError):
            hand_over(place / DOOR, "1" * 16)
        assert other.recv(100)
