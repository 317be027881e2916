import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hopwatch_agent.landing.schemas import schema_of
from hopwatch_analysis.errors import UnusableInputError
from hopwatch_analysis.files.finding import Checked, find_landed
from hopwatch_simulate.landed import write_rows
from landed_folder import START, LandedFolder


@pytest.fixture
def landed(tmp_path: Path) -> Path:
    story = LandedFolder()
    story.socket("quotes", "PUB", host="a/b c")
    story.sent("quotes", 10, 1)
    return story.write(tmp_path / "landed")


def no_parquet(path: Path) -> None:
    path.write_text("this is a text")


def truncated(path: Path) -> None:
    whole = path.with_name(".whole")
    write_rows(whole, "lane", [{"at": START}])
    path.write_bytes(whole.read_bytes()[:-20])


def foreign_version(path: Path) -> None:
    write_rows(path, "lane", [{"at": START}], version=2)


def column_missing(path: Path) -> None:
    pq.write_table(schema_of("lane").empty_table().drop_columns(["topic"]), path)


def column_of_another_type(path: Path) -> None:
    table = schema_of("lane").empty_table()
    index = table.schema.get_field_index("count")
    pq.write_table(table.set_column(index, "count", pa.array([], pa.string())), path)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (no_parquet, "no readable Parquet file"),
        (truncated, "no readable Parquet file"),
        (foreign_version, "schema_version 2"),
        (column_missing, "column 'topic' is missing"),
        (column_of_another_type, "column 'count' is string"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_the_rest_is_read(
    landed: Path, spoil: Callable[[Path], None], reason: str
) -> None:
    bad = landed / "kind=lane" / "date=2100-05-04" / "bad.parquet"
    spoil(bad)
    found = find_landed([str(landed)])
    assert len(found.files) == 2
    assert [skipped.file for skipped in found.skipped] == [str(bad)]
    assert reason in found.skipped[0].reason


def beyond_the_calendar(path: Path) -> None:
    table = pa.Table.from_pylist([{"schema_version": 1, "host": "a/b c"}], schema=schema_of("lane"))
    times = pa.array([2**62], pa.int64()).cast(pa.timestamp("us", tz="UTC"))
    pq.write_table(table.set_column(table.schema.get_field_index("at"), "at", times), path)


def not_utf8(path: Path) -> None:
    write_rows(path, "lane", [{"at": START, "host": "a/b c"}])
    # the name of the footer's host statistics, and nothing else, has these letters
    path.write_bytes(path.read_bytes().replace(b"a/b c", b"a/b\xff\xff"))


@pytest.mark.parametrize("spoil", [beyond_the_calendar, not_utf8])
def test_a_file_whose_footer_says_what_cannot_be_is_named(
    landed: Path, spoil: Callable[[Path], None]
) -> None:
    (sound,) = landed.glob("kind=lane/*/*/*.parquet")
    bad = sound.with_name("bad.parquet")
    spoil(bad)
    found = find_landed([str(landed)])
    assert len(found.files) == 2
    assert [skipped.file for skipped in found.skipped] == [str(bad)]
    assert "no readable Parquet file" in found.skipped[0].reason


def test_what_the_system_did_not_give_is_asked_for_again_though_it_is_the_same_file(landed: Path) -> None:
    (file,) = landed.glob("kind=lane/*/*/*.parquet")
    whole, written = file.read_bytes(), file.stat().st_mtime_ns
    checked: Checked = {}
    for held, skipped in ((whole[:-400] + b"\xff" * 392 + whole[-8:], [str(file)]), (whole, [])):
        file.write_bytes(held)
        os.utime(file, ns=(written, written))
        assert [item.file for item in find_landed([str(landed)], checked).skipped] == skipped


def test_a_file_of_an_unknown_kind_is_skipped(landed: Path) -> None:
    (landed / "kind=weather").mkdir()
    write_rows(landed / "kind=weather" / "x.parquet", "lane", [])
    assert "'weather' is unknown" in find_landed([str(landed)]).skipped[0].reason


def test_a_landed_file_that_was_renamed_is_told_of_but_not_a_copy_of_one_that_is_there(landed: Path) -> None:
    (sound,) = landed.glob("kind=lane/*/*/*.parquet")
    renamed = sound.with_name("batch-2.parquet.bak")
    copies = (
        sound.with_name(f"{sound.name}.bak"),
        sound.with_name(".batch-3.parquet.tmp"),
        landed / "x.parquet.bak",
    )
    for name in (renamed, *copies, sound.with_name("notes.txt")):
        name.write_bytes(sound.read_bytes())
    found = find_landed([str(landed)])
    assert [(skipped.file, skipped.reason) for skipped in found.skipped] == [
        (str(renamed), "its name does not end in .parquet")
    ]
    assert len(found.files) == 2
    assert found.unreadable_hosts == frozenset()


def test_a_folder_given_twice_counts_once(landed: Path) -> None:
    assert len(find_landed([str(landed), landed.as_uri()]).files) == 2


def test_the_times_of_the_rows_are_known_before_they_are_read(landed: Path) -> None:
    assert find_landed([str(landed)]).earliest == START


def test_an_empty_folder_is_unusable_input(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match="no landed Parquet files"):
        find_landed([str(tmp_path)])


def test_a_missing_folder_is_unusable_input(tmp_path: Path) -> None:
    with pytest.raises(UnusableInputError, match=r"nowhere is not there: no such folder$"):
        find_landed([str(tmp_path / "nowhere")])


def test_a_folder_missing_beside_good_ones_is_named_and_the_rest_is_read(
    landed: Path, tmp_path: Path
) -> None:
    found = find_landed([str(landed), str(tmp_path / "idle-host")])
    assert len(found.files) == 2
    assert [skipped.file for skipped in found.skipped] == [str(tmp_path / "idle-host")]


def test_a_folder_of_bad_files_alone_is_unusable_input(tmp_path: Path) -> None:
    bad = tmp_path / "kind=lane" / "bad.parquet"
    bad.parent.mkdir()
    no_parquet(bad)
    with pytest.raises(UnusableInputError, match=r"none of 1 inputs .*bad\.parquet"):
        find_landed([str(tmp_path)])


def test_results_of_an_analysis_that_lie_among_the_events_are_none(landed: Path) -> None:
    results = landed / "out"
    for folder in ("tables/hops", "incidents/date=2100-05-04", "checkpoint/books/1/told"):
        (results / folder).mkdir(parents=True)
        write_rows(results / folder / "part-0.parquet", "lane", [])
    assert len(find_landed([str(landed)]).skipped) == 3
    (results / "report.json").write_text("{}")
    found = find_landed([str(landed)])
    assert (len(found.files), found.skipped) == (2, ())
    (results / "incidents" / "kind=lane").mkdir()
    write_rows(results / "incidents" / "kind=lane" / "landed.parquet", "lane", [])
    assert len(find_landed([str(landed)]).files) == 3
