"""An analysis that fails leaves tables and report of the one before as they were."""

from pathlib import Path

import pytest
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.output import results_renewed


def write(folder: Path, *names: str, text: str) -> None:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "part.parquet").write_text(text)


def told(out: Path) -> dict[str, str]:
    return {file.parent.name: file.read_text() for file in (out / "tables").glob("*/part.parquet")}


def test_tables_take_their_places_together_and_nothing_else_is_touched(tmp_path: Path) -> None:
    write(tmp_path / "tables", "hops", "users-own", text="before")
    with results_renewed(tmp_path) as folder:
        write(folder, "hops", "losses", text="now")
        assert told(tmp_path) == {"hops": "before", "users-own": "before"}
    assert told(tmp_path) == {"hops": "now", "losses": "now", "users-own": "before"}
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_where_one_fails_none_is_renewed(tmp_path: Path) -> None:
    write(tmp_path / "tables", "hops", text="before")
    with pytest.raises(FileExistsError), results_renewed(tmp_path) as folder:
        write(folder, "losses", "hops", "hops", text="now")
    assert told(tmp_path) == {"hops": "before"}
    assert [path.name for path in tmp_path.iterdir()] == ["tables"]


def test_what_a_killed_one_left_is_no_table(tmp_path: Path) -> None:
    write(tmp_path / ".tables.new", "half", text="half")
    with results_renewed(tmp_path) as folder:
        write(folder, "hops", text="now")
    assert told(tmp_path) == {"hops": "now"}


def renew(out: Path) -> None:
    with results_renewed(out) as folder:
        write(folder, "hops", text="now")
        (folder / "report.json").write_text("now")
        assert (out / "report.json").read_text() == "before"


def test_no_report_is_new_before_all_tables_are(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text("before")
    (tmp_path / "tables").write_text("a file")
    with pytest.raises(AnalysisError):
        renew(tmp_path)
    assert report.read_text() == "before"

    (tmp_path / "tables").unlink()
    renew(tmp_path)
    assert (report.read_text(), told(tmp_path)) == ("now", {"hops": "now"})


def test_a_place_that_cannot_be_taken_is_named(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("a file")
    with pytest.raises(AnalysisError, match="cannot write into"), results_renewed(tmp_path) as folder:
        write(folder, "hops", text="now")
