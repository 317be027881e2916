"""What waits to be landed is bounded: past that the oldest goes, counted and told of, and the disk gets its room back."""

from pathlib import Path
from typing import Any

import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.landing.keeping import Bounds, Keeper
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import LaneState, Row
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
AT = 1_700_000_000_000_000_000
MUCH = 10**12
LONG = 10**9


def add_onsets(bench: Any, numbers: range) -> None:
    """Rows as a tick commits them."""
    draft = Draft(bench.tables)
    for number in numbers:
        values = {"socket": SOCKET, "number": number, "lane": 0, "lane_number": number}
        draft.rows.append(Row("onset", AT, "web-1", None, None, values))
    bench.store.commit(draft)


def add_faults(bench: Any, *, count: int, size: int) -> None:
    draft = Draft(bench.tables)
    row = Row("fault", AT, "web-1", None, None, {"socket": None, "text": "x" * size})
    draft.rows.extend([row] * count)
    bench.store.commit(draft)


def on_disk(data: Path) -> int:
    """Bytes of the database, its log included."""
    return sum(path.stat().st_size for path in data.glob("agent.sqlite3*"))


def onsets(bench: Any) -> list[int]:
    return sorted(row["number"] for row in bench.rows("onset"))


def test_within_its_bounds_nothing_is_given_up(bench: Any) -> None:
    keeper = Keeper(bench.batches, Bounds(size=MUCH, seconds=LONG))
    add_onsets(bench, range(100))
    assert (keeper.give_up(), keeper.given_up(), keeper.tell()) == (0, 0, [])
    assert onsets(bench) == list(range(100))


def test_past_the_size_the_oldest_batches_go_and_the_files_stop_growing(bench: Any) -> None:
    size = 1_000_000
    keeper = Keeper(bench.batches, Bounds(size=size, seconds=LONG))
    given_up, largest = 0, 0
    for batch in range(30):
        add_onsets(bench, range(batch * 1000, batch * 1000 + 1000))
        given_up += keeper.give_up()
        keeper.shrink()
        largest = max(largest, on_disk(bench.data))
    assert largest < 2 * size + 4_500_000  # of which the log may have four megabytes
    assert 0 < given_up == keeper.given_up() < 30_000
    left = onsets(bench)
    assert left == list(range(given_up, 30_000))
    assert len(left) > 3_000


def test_what_the_agent_knows_takes_no_room_from_the_rows(bench: Any) -> None:
    size = 1_000_000
    draft = Draft(bench.tables)
    for lane in range(10_000):
        draft.lanes.put((SOCKET, SOCKET, lane), LaneState(SOCKET, SOCKET, lane, "p", topic="ab" * 20))
    bench.store.commit(draft)
    add_onsets(bench, range(5))
    assert on_disk(bench.data) > size
    assert Keeper(bench.batches, Bounds(size=size, seconds=LONG)).give_up() == 0
    assert onsets(bench) == list(range(5))


def test_what_was_given_up_is_landed_as_a_fault_that_says_how_much(bench: Any) -> None:
    add_onsets(bench, range(5))
    keeper = Keeper(bench.batches, Bounds(size=0, seconds=LONG))
    assert keeper.give_up() == 5
    bench.reopen()
    keeper = Keeper(bench.batches, Bounds(size=MUCH, seconds=LONG))
    ((_, told),) = keeper.tell()
    assert (told.kind, told.host) == ("fault", "web-1")
    assert keeper.tell() == []
    (fault,) = bench.faults()
    assert fault.startswith("5 rows of this host were given up from 20")
    assert fault.endswith(": 5 in all since the agent's database was made")
    assert bench.store.totals() == (0, 1)


def test_what_was_told_and_is_given_up_in_its_turn_is_still_counted(bench: Any) -> None:
    none = Keeper(bench.batches, Bounds(size=0, seconds=LONG))
    add_onsets(bench, range(5))
    none.give_up()
    none.tell()
    none.give_up()
    none.tell()
    (fault,) = bench.faults()
    assert fault.endswith(": 6 in all since the agent's database was made")


def test_past_the_age_a_batch_goes_by_a_clock_that_does_not_jump(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Keeper(bench.batches, Bounds(size=MUCH, seconds=3600))
    add_onsets(bench, range(5))
    keeper.give_up()
    monkeypatch.setattr("time.time_ns", lambda: AT * 2)
    monkeypatch.setattr("time.time", lambda: AT * 2 / 1e9)
    assert keeper.give_up() == 0
    bench.batches.connection.execute("UPDATE meta SET value = 3601000 WHERE key = 'clock'")
    bench.reopen()
    add_onsets(bench, range(5, 7))
    last = Keeper(bench.batches, Bounds(size=MUCH, seconds=3600))
    # while a place takes what waits, the old rows land as well
    assert last.give_up(old_too=False) == 0
    assert last.give_up() == 5
    assert onsets(bench) == [5, 6]


def test_a_backlog_that_has_landed_leaves_its_room_to_the_disk(bench: Any) -> None:
    for _ in range(20):
        add_faults(bench, count=1000, size=1000)
    before = on_disk(bench.data)
    bench.land()
    Keeper(bench.batches, Bounds(size=MUCH, seconds=LONG)).shrink()
    assert before > 18_000_000
    assert on_disk(bench.data) < 17_500_000  # of which eight megabytes each are spare, and the log


def test_a_batch_is_bounded_by_its_bytes_too(bench: Any) -> None:
    add_faults(bench, count=70, size=1_000_000)
    bench.batches.form()
    assert bench.batches.unformed()
    bench.batches.form()
    assert not bench.batches.unformed()


@pytest.mark.extended("an agent that has to reach its bounds")
def test_an_agent_whose_place_is_gone_gives_up_the_oldest_and_says_so(agent: AgentProcess) -> None:
    agent.set("HOPWATCH_AGENT_KEEP_BYTES", "1000000")
    agent.set("HOPWATCH_AGENT_LOG_LEVEL", "warning")
    agent.landed.write_text("in the way")
    writer = JournalWriter(agent.journal)
    agent.start()
    written = 0

    def write(more: int) -> None:
        nonlocal written
        for number in range(written, written + more):
            writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)
        written += more

    def given_up() -> int:
        write(2000)
        status: dict[str, int] = agent.get("/v1/status")
        return status["rows_given_up"]

    eventually(given_up, 60)
    assert on_disk(agent.data) < 40_000_000
    agent.landed.unlink()
    write(10)  # all that was waiting may have been given up
    writer.close()
    status, said = agent.terminate()
    assert status == 0
    assert "were given up" in said
    left = sorted(row["number"] for row in agent.rows("onset"))
    assert 0 < len(left) < written
    assert left == list(range(left[0], written))
    told = [row["text"] for row in agent.rows("fault") if " were given up from " in row["text"]]
    # what else the agent knew of that time went with the onsets
    assert sum(int(text.split()[0]) for text in told) >= left[0]
