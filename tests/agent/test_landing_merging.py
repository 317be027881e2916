"""Small landed files become large ones, and whoever reads meanwhile sees each row once."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dying_landing
import pytest
from agent_process import AgentProcess, WriterProcess, eventually, landed
from dying_landing import MERGE_RULE
from hopwatch_agent.landing.batches import BatchStore
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.merger import Merger, MergeRule
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import Row

SOCKET = "00000000000000a1"
HOUR = 3600
AT = 1_700_000_000_000_000_000


def add_onsets(bench: Any, *numbers: Any) -> None:
    """Rows as a tick commits them, all of one day."""
    draft = Draft(bench.tables)
    for number in numbers:
        values = {"socket": SOCKET, "number": number, "lane": 0, "lane_number": number}
        draft.rows.append(Row("onset", AT, "web-1", None, None, values))
    bench.store.commit(draft)


def land_files(bench: Any, *files: range) -> None:
    """One file each."""
    for numbers in files:
        add_onsets(bench, *numbers)
        bench.land()


def let_pass(bench: Any, seconds: int) -> None:
    """As if the agent had run for so much longer."""
    bench.batches.connection.execute(
        "UPDATE meta SET value = value + ? WHERE key = 'clock'", ((seconds + 10) * 1000,)
    )
    bench.reopen()


def merge(bench: Any, rule: MergeRule = MERGE_RULE) -> list[str]:
    """As many steps as there can be; gives the failures."""
    merger = Merger(bench.batches, Landing(str(bench.landed)), rule)
    return [str(error) for error in (merger.run_once() for _ in range(10)) if error]


def paths(bench: Any) -> list[Path]:
    return sorted(bench.landed.glob("kind=onset/date=*/host=*/*.parquet"))


def numbers(folder: Path) -> list[int]:
    return sorted(row["number"] for row in landed(folder, "onset"))


def test_small_files_become_one_and_go_when_nobody_reads_them_any_more(bench: Any) -> None:
    land_files(bench, range(3), range(3, 5), range(5, 9))
    parts = paths(bench)
    assert merge(bench) == []
    assert paths(bench) == parts
    let_pass(bench, HOUR)
    assert merge(bench) == []
    (whole,) = set(paths(bench)) - set(parts)
    assert set(paths(bench)) == {*parts, whole}
    assert numbers(bench.landed) == list(range(9))
    let_pass(bench, HOUR)
    assert merge(bench) == []
    assert paths(bench) == [whole]
    assert numbers(bench.landed) == list(range(9))


def test_a_merged_file_is_merged_again_until_it_is_large(bench: Any) -> None:
    land_files(bench, range(3), range(3, 6))
    let_pass(bench, HOUR)
    merge(bench)
    land_files(bench, range(6, 9), range(9, 12))
    let_pass(bench, HOUR)
    merge(bench)
    let_pass(bench, HOUR)
    merge(bench)
    (whole,) = paths(bench)
    assert numbers(bench.landed) == list(range(12))
    land_files(bench, range(12, 15))
    let_pass(bench, HOUR)
    merge(bench, MergeRule(HOUR, size=whole.stat().st_size))
    assert len(paths(bench)) == 2


@pytest.mark.parametrize("step", dying_landing.STEPS)
def test_a_kill_at_any_step_leaves_each_row_once_for_whoever_reads_then_and_later(
    bench: Any, step: str
) -> None:
    land_files(bench, range(3), range(3, 6))
    if step == "a_part_removed":
        let_pass(bench, HOUR)
        merge(bench)
    add_onsets(bench, 6, 7)
    let_pass(bench, HOUR)
    program = [sys.executable, dying_landing.__file__, str(bench.data), str(bench.landed), step]
    assert subprocess.run(program, check=False).returncode == -signal.SIGKILL
    unlanded = {"before_landing", "half_a_file_written"}
    assert numbers(bench.landed) == list(range(6 if step in unlanded else 8))
    bench.reopen()
    bench.land()
    assert numbers(bench.landed) == list(range(8))
    assert merge(bench) == []
    assert numbers(bench.landed) == list(range(8))
    let_pass(bench, HOUR)
    assert merge(bench) == []
    assert numbers(bench.landed) == list(range(8))
    # nothing is left of what the kill cut off
    assert len(paths(bench)) == 1
    assert list(bench.landed.rglob(".*")) == []


def test_rows_that_have_yet_to_land_are_in_no_merged_files_range(bench: Any) -> None:
    land_files(bench, range(3), range(3, 6))
    add_onsets(bench, "no number")
    error = bench.lander.run_once(lambda _rows: None)
    assert "cannot make a table" in str(error)
    add_onsets(bench, 6, 7)
    assert "cannot make a table" in str(bench.lander.run_once(lambda _rows: None))
    let_pass(bench, HOUR)
    assert merge(bench) == []
    let_pass(bench, HOUR)
    assert merge(bench) == []
    assert len(paths(bench)) == 2
    assert numbers(bench.landed) == list(range(8))


@pytest.mark.parametrize("wrong", ["missing", "damaged"])
def test_a_part_that_is_not_as_it_was_landed_stays_as_it_is_and_apart(bench: Any, wrong: str) -> None:
    land_files(bench, range(2), range(2, 4), range(4, 6), range(6, 8), range(8, 10))
    before = paths(bench)
    if wrong == "missing":
        before[2].unlink()
    else:
        before[2].write_bytes(b"not Parquet")
    let_pass(bench, HOUR)
    (failure,) = merge(bench)
    assert before[2].stem in failure
    for _ in range(2):
        let_pass(bench, HOUR)
        assert merge(bench) == []
    left = [path for path in paths(bench) if path != before[2]]
    assert len(left) == 2, [p.name for p in paths(bench)]
    assert before[2].exists() is (wrong == "damaged")
    for path in paths(bench):
        if path == before[2]:
            path.unlink()
    assert numbers(bench.landed) == [0, 1, 2, 3, 6, 7, 8, 9]


def test_a_place_that_fails_in_the_middle_is_tried_again(bench: Any) -> None:
    land_files(bench, range(3), range(3, 6))
    let_pass(bench, HOUR)
    away = bench.landed.with_name("away")
    (bench.landed / "kind=onset").rename(away)
    (bench.landed / "kind=onset").write_text("in the way")
    assert all("cannot merge files" in failure for failure in merge(bench))
    (bench.landed / "kind=onset").unlink()
    away.rename(bench.landed / "kind=onset")
    assert merge(bench) == []
    assert len(paths(bench)) == 3
    assert numbers(bench.landed) == list(range(6))


def test_what_landed_while_merging_was_off_lies_in_no_merged_files_range(bench: Any) -> None:
    never = MergeRule(seconds=0, size=10_000_000)
    land_files(bench, range(2))
    let_pass(bench, HOUR)
    assert merge(bench, never) == []
    land_files(bench, range(2, 4), range(4, 6))
    merge(bench, never)
    land_files(bench, range(6, 8), range(8, 10))
    let_pass(bench, HOUR)
    assert merge(bench) == []
    assert len(paths(bench)) == 6
    assert numbers(bench.landed) == list(range(10))


def test_a_copy_of_a_database_calls_its_files_by_another_name(bench: Any, tmp_path: Path) -> None:
    add_onsets(bench, 1)
    bench.batches.form()
    bench.close()
    shutil.copytree(bench.data, tmp_path / "copy")
    bench.reopen()
    copy = BatchStore(tmp_path / "copy")
    assert copy.database != bench.batches.database
    # what was decided before the copy was made is the same file, whoever lands it
    assert copy.next_batch() == bench.batches.next_batch()
    # nor does the copy merge what is the other one's
    Lander(copy, Landing(str(bench.landed))).run_once(lambda _rows: None)
    assert copy.connection.execute("SELECT * FROM files").fetchall() == []
    again = BatchStore(tmp_path / "copy")
    assert again.database == copy.database
    copy.close()
    again.close()


def test_an_agent_merges_while_it_lands_and_is_killed(
    agent: AgentProcess, writing: Callable[..., WriterProcess]
) -> None:
    agent.set("HOPWATCH_AGENT_MERGE_SECONDS", "0.6")
    agent.start()
    writer = writing()
    seen: set[Path] = set()

    def some_have_gone() -> bool:
        there = set(agent.landed.rglob("*.parquet"))
        gone = seen - there
        seen.update(there)
        seen.difference_update(gone)
        return bool(gone)

    for _ in range(2):
        eventually(some_have_gone)
        agent.kill()
        agent.start()
    written = writer.end()
    assert agent.terminate() == (0, "")
    assert sorted(row["number"] for row in agent.rows("onset")) == list(range(written))
    assert len(list(agent.landed.rglob("*.parquet"))) < 60
