"""What another user has made where everybody may, as in /tmp, is not written into: neither a folder nor through a link."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import pytest
from hopwatch.ownership import foreign_owner
from hopwatch_agent.errors import DataDirectoryError, ReportError
from hopwatch_agent.landing.place import open_place
from hopwatch_agent.report.file import ReportFile
from hopwatch_agent.store.database import owned, prepare
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.output import require_writable
from hopwatch_analysis.following.checkpoint import CheckpointError, claimed
from hopwatch_api.checking import everything_wrong

STRANGER = 65534

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make what belongs to another user")


@pytest.fixture
def for_all(tmp_path: Path) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def theirs(path: Path) -> Path:
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)
    return path


def use_as_data(path: Path) -> None:
    with owned(path):
        pass


def land(path: Path) -> None:
    open_place(str(path)).put(PurePosixPath("kind=x/file.parquet"), lambda sink: sink.write(b"x"))


def follow(path: Path) -> None:
    with claimed(path, path.parent / "incidents", ("events",)):
        pass


USES: dict[str, tuple[Callable[[Path], None], type[Exception]]] = {
    "data directory": (use_as_data, DataDirectoryError),
    "landing folder": (land, PermissionError),
    "checkpoint": (follow, CheckpointError),
    "report": (require_writable, AnalysisError),
}


@pytest.mark.parametrize("what", USES)
def test_a_folder_or_a_link_of_another_user_is_refused_by_name_and_nothing_is_written(
    for_all: Path, tmp_path: Path, what: str
) -> None:
    use, error = USES[what]
    folder, link, elsewhere = for_all / "folder", for_all / "link", tmp_path / "elsewhere"
    folder.mkdir(mode=0o777)
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    for path in (theirs(folder), theirs(link), link / "below"):
        with pytest.raises(
            error, match=f"{path if path != link / 'below' else link} belongs to user {STRANGER}"
        ):
            use(path)
    assert list(folder.iterdir()) == list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("what", USES)
def test_our_own_folders_and_links_are_used_wherever_they_are(
    for_all: Path, tmp_path: Path, what: str
) -> None:
    use, _ = USES[what]
    elsewhere, link = tmp_path / "elsewhere", for_all / "link"
    elsewhere.mkdir()
    link.symlink_to(elsewhere)
    for path in (for_all / "new", link / "below"):
        use(path)
        assert path.is_dir()


def test_what_a_stranger_was_given_by_who_owns_the_folder_is_no_strangers(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    assert foreign_owner(theirs(shared)) is None


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    data, victim = tmp_path / "data", tmp_path / "victim"
    data.mkdir()
    (data / "agent.lock").symlink_to(victim)
    with pytest.raises(DataDirectoryError), owned(data):
        pass
    assert not victim.exists()


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Path]:
    """A file that stays as it is."""
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    victim.chmod(0o640)
    yield victim
    assert (victim.read_text(), stat.S_IMODE(victim.stat().st_mode)) == ("as it was", 0o640)


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder of ours that every user can write into, as a volume of a pod is one."""
    folder = tmp_path / "volume"
    folder.mkdir()
    folder.chmod(0o777)
    return folder


@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_what_is_planted_in_the_landing_folder_is_not_written_to(
    open_folder: Path, victim: Path, plant: Callable[[Path, Path], None]
) -> None:
    landed, file = open_folder / "kind=x", PurePosixPath("kind=x/file.parquet")
    landed.mkdir(mode=0o777)
    plant(landed / ".file.tmp", victim)
    plant(landed / "file.parquet", victim)
    place = open_place(str(open_folder))
    place.put(file, lambda sink: sink.write(b"landed"))
    assert (landed / "file.parquet").read_bytes() == place.read(file).to_pybytes() == b"landed"
    plant(landed / ".file.tmp", victim)
    place.remove(file)
    assert list(landed.iterdir()) == []


def test_below_the_landing_folder_too_no_link_of_another_user_is_followed(
    open_folder: Path, tmp_path: Path
) -> None:
    file, place = PurePosixPath("kind=x/file.parquet"), open_place(str(open_folder))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file.parquet").write_text("as it was")
    (open_folder / "kind=x").symlink_to(elsewhere)
    theirs(open_folder / "kind=x")
    for use in (lambda: land(open_folder), lambda: place.read(file), lambda: place.remove(file)):
        with pytest.raises(PermissionError, match=f"kind=x belongs to user {STRANGER}"):
            use()
    assert [path.read_text() for path in elsewhere.iterdir()] == ["as it was"]


def test_a_link_in_the_place_of_a_landed_file_is_not_read(open_folder: Path, victim: Path) -> None:
    (open_folder / "file.parquet").symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        open_place(str(open_folder)).read(PurePosixPath("file.parquet"))


@pytest.mark.parametrize("name", ["", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("plant", [Path.symlink_to, Path.hardlink_to])
def test_what_is_planted_beside_the_database_is_refused(
    open_folder: Path, victim: Path, name: str, plant: Callable[[Path, Path], None]
) -> None:
    plant(open_folder / f"agent.sqlite3{name}", victim)
    with pytest.raises(DataDirectoryError):
        prepare(open_folder)


def test_a_database_of_another_user_is_refused_where_every_user_could_put_one(
    open_folder: Path, tmp_path: Path
) -> None:
    prepare(open_folder)
    theirs(open_folder / "agent.sqlite3")
    with pytest.raises(DataDirectoryError, match=f"agent.sqlite3 belongs to user {STRANGER}"):
        prepare(open_folder)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (open_folder / "agent.sqlite3").rename(data / "agent.sqlite3")
    prepare(data)


def test_a_report_of_another_user_is_not_shown(for_all: Path) -> None:
    folder = for_all / "report"
    folder.mkdir()
    (folder / "report.json").write_text("{}")
    report = ReportFile(str(folder))
    assert report.mark().size == 2
    theirs(folder)
    with pytest.raises(ReportError, match=f"{folder} belongs to user {STRANGER}"):
        report.mark()


def test_check_names_the_folders_of_other_users(for_all: Path) -> None:
    folders = {name: for_all / name for name in ("DATA", "LAND")}
    for folder in (*folders.values(), for_all / "dir"):
        folder.mkdir()
        theirs(folder)
    environ = {
        "HOPWATCH_DIR": str(for_all / "dir"),
        **{f"HOPWATCH_AGENT_{name}": str(folder) for name, folder in folders.items()},
    }
    found = everything_wrong(environ, {})
    assert len(found) == 3
    assert all(f"belongs to user {STRANGER}" in text for text in found)
