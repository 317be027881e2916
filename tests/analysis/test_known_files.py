"""Which landed files are new to a following job, and by which clocks it goes on."""

from datetime import datetime, timedelta

from hopwatch_analysis.files.landed import LandedFile
from hopwatch_analysis.following.known import arrivals, still_missed
from hopwatch_analysis.links.clocks import steady
from landed_folder import at
from pyarrow import fs

FOLDER = "/landed/kind=gap/date=2026-05-04/host=box"


def path(name: str) -> str:
    return f"{FOLDER}/{name}.parquet"


def file(name: str, earliest: datetime | None = None) -> LandedFile:
    return LandedFile(path(name), "gap", fs.LocalFileSystem(), path(name), 1, earliest, earliest)


def test_what_is_merged_of_known_files_is_not_new() -> None:
    found = arrivals([file("ab-1-9")], frozenset({path("ab-1-4"), path("ab-7-9")}))
    assert (found.new, found.removed) == ((), False)


def test_what_is_merged_with_further_ones_is_new_and_reaches_no_further_back() -> None:
    found = arrivals([file("ab-1-12", at(0))], frozenset({path("ab-1-4"), path("ab-7-9")}))
    assert [each.path for each in found.new] == [path("ab-1-12")]
    assert found.reach_back_to(at(50)) is None
    assert not found.removed


def test_other_databases_and_later_blocks_are_new_and_reach_back_as_far_as_their_rows() -> None:
    known = frozenset({path("ab-1-4")})
    found = arrivals([file("ab-1-4", at(0)), file("cd-1-4", at(20)), file("ab-5-6", at(60))], known)
    assert [each.path for each in found.new] == [path("cd-1-4"), path("ab-5-6")]
    assert found.reach_back_to(at(50)) == at(20)
    assert found.reach_back_to(at(50) - timedelta(seconds=40)) is None


def test_what_is_gone_and_in_no_merged_file_is_removed() -> None:
    assert arrivals([file("ab-5-9")], frozenset({path("ab-1-4"), path("ab-5-9")})).removed
    assert arrivals([], frozenset({path("batch-1")})).removed


def test_what_is_back_is_known_also_if_it_was_merged_meanwhile() -> None:
    known = frozenset({path("ab-1-4"), path("ab-5-9")})
    assert arrivals([file("ab-5-9")], known).gone == {path("ab-1-4")}
    away = frozenset({path("ab-1-4")})
    assert not arrivals([file("ab-5-9")], known, away).old_ones_differ
    for back in (["ab-1-4", "ab-5-9"], ["ab-1-9"]):
        found = arrivals([file(name, at(0)) for name in back], known, away)
        assert (found.new, found.gone, found.removed) == ((), frozenset(), False)
        assert {each.path for each in found.returned} == {path(name) for name in back if name != "ab-5-9"}
        assert found.reach_back_to(at(50)) == at(0)


def test_old_days_that_are_gone_are_not_waited_for() -> None:
    def of(host: str, day: int) -> str:
        return f"/landed/kind=gap/date=2026-05-{day:02}/host={host}/ab-{day}-{day}.parquet"

    gone = [of("box", 3), of("box", 5), of("other", 3), "/landed/batch-1"]
    assert still_missed(gone, [of("box", 4), of("box", 6)]) == {*gone[1:]}


def test_clocks_move_only_if_they_are_elsewhere() -> None:
    before = {"a": 2.0, "b": -1.0}
    assert steady({"a": 2.1, "b": -0.9}, before) == before
    assert steady({"a": 2.1, "b": -3.0, "c": 0.2, "d": 0.5}, before) == {"a": 2.0, "b": -3.0, "d": 0.5}
    assert steady({}, before) == {}
