"""What another user has made where everybody may, as in /tmp, is not written into: neither a folder nor through a link."""

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from hopwatch.ownership import foreign_owner
from hopwatch_agent.errors import DataDirectoryError
from hopwatch_agent.landing.place import open_place
from hopwatch_agent.store.database import owned
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.output import require_writable
from hopwatch_analysis.following.checkpoint import CheckpointError, claimed

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
