"""The wall clock goes forth and back: what happens when it did is told by it, and no interval is measured with it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from faked_clocks import faked_wall_clock
from journal_writer import JournalWriter

Writing = Callable[..., WriterProcess]
Alive = Callable[[JournalWriter], AbstractContextManager[None]]
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
HOUR = 3600
SOCKET = "00000000000000a1"


class WallClock:
    """The wall clock of a process, its monotonic clock left as it is."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.set("+0")

    def set(self, offset: str) -> None:
        """By how much it is wrong from now on, as "+40d"."""
        fresh = self._file.with_suffix(".new")
        fresh.write_text(offset)
        fresh.replace(self._file)

    def give_to(self, agent: AgentProcess) -> None:
        clock = faked_wall_clock(FAKETIME_TIMESTAMP_FILE=str(self._file), FAKETIME_NO_CACHE="1")
        for name, value in clock.items():
            agent.set(name, value)


def goes_on(agent: AgentProcess) -> None:
    """Returns when the agent has shown that its loops go on: it reads, lands, and says that it does."""
    before = agent.get("/v1/status")["rows_landed"]
    eventually(lambda: agent.get("/v1/status")["rows_landed"] > before + 20)
    status = agent.get("/v1/status")
    assert 0 <= status["lag_seconds"] < HOUR  # and not forty days
    assert status["errors"] == []
    assert plain_http.get(f"{agent.url}/healthz").status_code == 200
    assert plain_http.get(f"{agent.url}/readyz").status_code == 200


def days(agent: AgentProcess) -> set[date]:
    """On which days counters were read."""
    return {row["at"].date() for row in agent.rows("counters")}


def test_an_agent_whose_clock_jumps_goes_on_at_its_pace_and_forgets_nothing(
    agent: AgentProcess, writing: Writing, tmp_path: Path
) -> None:
    clock = WallClock(tmp_path)
    clock.give_to(agent)
    agent.start()
    gone, writer = writing(), writing()
    eventually(lambda: len(agent.get("/v1/sockets")) == 2)
    gone.kill()
    eventually(lambda: agent.get("/v1/status")["processes"] == 1)
    eventually(lambda: days(agent))
    for offset in ("+40d", "-40d"):
        before = days(agent)
        clock.set(offset)
        goes_on(agent)
        eventually(lambda before=before: days(agent) > before)
        assert {socket["id"] for socket in agent.get("/v1/sockets")} == {gone.socket, writer.socket}
    written = writer.end()
    assert agent.terminate()[0] == 0
    onsets = [row["number"] for row in agent.rows("onset") if row["socket"] == writer.socket]
    assert sorted(onsets) == list(range(written))
    finals = [
        row["sent"] for row in agent.rows("counters") if row["final"] and row["socket"] == writer.socket
    ]
    assert finals == [written]


@pytest.mark.parametrize("times", [(10**18, 1, 2 * 10**18), (2**63 - 1, 10**18, 0)])
def test_events_whose_times_go_back_are_landed_in_their_order(
    bench: Any, alive: Alive, times: tuple[int, ...]
) -> None:
    writer = bench.writer()
    writer.opened(SOCKET)
    with alive(writer):
        for at in times:
            writer.event("onset", t=at, socket=SOCKET, number=writer.next_n)
        writer.event("closed", t=times[-1], socket=SOCKET, counters={"sent": 5})
        bench.tick()
        shown = bench.view.socket(SOCKET)
        assert (shown.counters["sent"], shown.closed_at is not None or times[-1] == 0) == (5, True)
        assert bench.view.events(0, 100)
    bench.tick()
    rows = sorted(bench.rows("onset"), key=lambda row: row["n"])
    assert [row["number"] for row in rows] == [2, 3, 4]
    assert [(row["at"] - EPOCH) // timedelta(microseconds=1) for row in rows] == [at // 1000 for at in times]
