"""Files that were merged are read in place of their parts."""

from hopwatch_analysis.files.merged import without_parts

FOLDER = "kind=onset/date=2026-01-01/host=a"


def named(*ranges: tuple[int, int], database: str = "0a1b", folder: str = FOLDER) -> list[str]:
    return [f"{folder}/{database}-{first:012d}-{last:012d}.parquet" for first, last in ranges]


def test_a_file_whose_range_lies_within_anothers_is_left_out() -> None:
    parts = named((1, 3), (5, 5), (7, 10))
    assert without_parts([*parts, *named((1, 10))]) == named((1, 10))
    assert without_parts([*named((1, 20)), *parts, *named((1, 10))]) == named((1, 20))
    assert without_parts([*named((1, 10), (11, 12))]) == named((1, 10), (11, 12))


def test_the_same_range_of_another_database_or_folder_is_another_file() -> None:
    files = sorted(named((1, 10)) + named((2, 3), database="ffff") + named((2, 3), folder=FOLDER + "b"))
    assert without_parts(files) == files


def test_files_of_other_names_are_all_read() -> None:
    files = [f"{FOLDER}/batch-1.parquet", f"{FOLDER}/part-1-2-3.parquet"]
    assert without_parts(files) == files


def test_a_listing_that_has_only_some_of_the_parts_is_read_as_it_is() -> None:
    assert without_parts(named((1, 3), (7, 10))) == named((1, 3), (7, 10))
