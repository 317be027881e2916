"""From the database to files: exactly once, whatever is interrupted."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from every_event import write_every_event
from hopwatch_agent.errors import LandingError, SettingsError
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.schemas import KINDS, SCHEMA_VERSION, schema_of
from journal_writer import JournalWriter

SOCKET = "00000000000000a1"
FROM_THE_KERNEL = {"tcp", "usage", "memory", "oom"}
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


def write_onsets(writer: JournalWriter, count: int) -> None:
    for number in range(count):
        writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)


def test_every_kind_lands_with_its_schema(bench: Any) -> None:
    writer = bench.writer(place={"namespace": "trading", "pod": "feed-0"})
    write_every_event(writer)
    bench.tick()
    bench.land()
    assert bench.faults() == ["t"]
    assert {folder.name.removeprefix("kind=") for folder in bench.landed.iterdir()} >= set(
        KINDS
    ) - FROM_THE_KERNEL
    for kind in KINDS:
        for file in bench.landed.glob(f"kind={kind}/date=*/host=web-1/*.parquet"):
            table = pq.ParquetFile(file)
            assert table.schema_arrow.equals(schema_of(kind)), kind
            assert table.metadata.row_group(0).column(0).compression == "ZSTD"
            assert {row["schema_version"] for row in table.read().to_pylist()} == {SCHEMA_VERSION}
    actions = [row["action"] for row in bench.rows("connection")]
    assert actions == [
        "monitor_attached", "connected", "handshake", "disconnected", "retried", "handshake_failed"
    ]  # fmt: skip
    gap, late, skipped = bench.rows("gap")
    assert (gap["action"], gap["first"], gap["last"], gap["before"], gap["after"]) == ("gap", 3, 4, 2, 5)
    assert gap["before_sent_at"].timestamp() == 10**9
    assert (late["action"], late["first"], late["last"]) == ("late", 4, 4)
    assert (skipped["action"], skipped["first"], skipped["last"]) == ("skipped", 6, 8)
    started, ended = bench.rows("proxy")
    assert (started["state"], started["counted_at"]) == ("started", None)
    assert (ended["state"], ended["counted_at"].timestamp(), ended["name"]) == ("ended", 10**9, "relay")
    assert [row["action"] for row in bench.rows("endpoint")] == ["bind", "unbind"]
    assert [row["value"] for row in bench.rows("option")] == ["7"]
    assert "probing_stopped" in [row["state"] for row in bench.rows("socket")]


class KilledError(Exception):
    """Stands for the end of the process."""


@pytest.mark.parametrize("step", ["before_write", "after_write", "after_forget"])
def test_an_end_between_two_steps_of_landing_neither_loses_nor_repeats(bench: Any, step: str) -> None:
    write_onsets(bench.writer(), 50)
    bench.tick()

    class DyingLanding(Landing):
        def write(self, *arguments: Any) -> int:
            if step == "before_write":
                raise KilledError
            size = super().write(*arguments)
            if step == "after_write":
                raise KilledError
            return size

    def forgotten(_rows: int) -> None:
        raise KilledError

    with pytest.raises(KilledError):
        Lander(bench.batches, DyingLanding(str(bench.landed))).run_once(forgotten)
    write_onsets(bench.writer(), 5)
    bench.reopen()
    bench.tick()
    rows = bench.rows("onset")
    assert len(rows) == 55
    assert len({(row["process"], row["n"]) for row in rows}) == 55


def test_a_landing_that_fails_keeps_everything_for_the_next_time(bench: Any) -> None:
    write_onsets(bench.writer(), 10)
    bench.tick()
    bench.landed.write_text("in the way")
    error = bench.lander.run_once(lambda _rows: None)
    assert isinstance(error, LandingError)
    assert str(bench.landed) in str(error)
    bench.landed.unlink()
    assert len(bench.rows("onset")) == 10


def names_of_batches(bench: Any) -> list[str]:
    names, place = [], (0, 0, "", "", "")
    while (batch := bench.batches.next_batch(place)) is not None:
        names.append(batch.name)
        place = batch.place
    return names


def test_a_files_name_is_a_function_of_the_batch(bench: Any) -> None:
    write_onsets(bench.writer(), 10)
    bench.tick()
    bench.batches.form()
    names = names_of_batches(bench)
    bench.reopen()
    bench.batches.form()
    assert names_of_batches(bench) == names
    assert len(set(names)) == len(names) > 1


def test_an_object_store_gets_the_same_files(bench: Any, tmp_path: Path) -> None:
    write_onsets(bench.writer(), 10)
    bench.tick()
    remote = tmp_path / "remote"
    lander = Lander(bench.batches, Landing(f"file://{remote}"))
    assert lander.run_once(lambda _rows: None) is None
    assert list(remote.glob("kind=onset/date=*/host=web-1/*.parquet"))


def test_a_place_of_an_unknown_kind_is_refused_at_once() -> None:
    with pytest.raises(SettingsError, match="gopher"):
        Landing("gopher://somewhere")


def test_a_secret_in_the_place_is_never_shown(bench: Any) -> None:
    place = "s3://key:secret@bucket/events?endpoint_override=127.0.0.1:1&scheme=http"
    landing = Landing(place)
    assert landing.shown == "s3://bucket/events?endpoint_override=127.0.0.1:1&scheme=http"
    write_onsets(bench.writer(), 1)
    bench.tick()
    error = Lander(bench.batches, landing).run_once(lambda _rows: None)
    assert "bucket" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    "uri", ["s3://key:hid/den@bucket", "s3://bucket?secret_key=hidden", "s3://hidden@bucket"]
)
def test_an_address_that_cannot_be_used_is_refused_without_its_secret(uri: str) -> None:
    with pytest.raises(SettingsError, match="cannot land at s3://bucket") as refused:
        Landing(uri)
    assert "hid" not in str(refused.value)
    assert "den" not in str(refused.value)


def test_nothing_of_a_living_process_is_unlinked(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    write_onsets(writer, 3)
    with alive(writer):
        bench.tick()
        bench.land()
        bench.tick()
        assert len(list(bench.journal.iterdir())) == 3


def test_a_process_that_is_gone_is_shown_for_some_minutes_and_then_forgotten(bench: Any) -> None:
    from hopwatch_agent.cleaning import SHOW_GONE_SECONDS, Departures
    from hopwatch_agent.live.draft import Draft

    writer = bench.writer()
    writer.opened(SOCKET)
    writer.set_lane(0, SOCKET, SOCKET, 0, 9, 9, 0, 9, 1_000)
    bench.tick()
    departures = Departures()
    for seconds, shown in ((0, True), (SHOW_GONE_SECONDS - 60, True), (SHOW_GONE_SECONDS + 60, False)):
        draft = Draft(bench.tables)
        departures.forget_old(bench.tables, {}, draft, 1_000 + seconds)
        bench.board.publish(draft, bench.store.commit(draft))
        assert (SOCKET in bench.tables.sockets) is shown
    assert not bench.tables.lanes
    bench.reopen()
    assert not bench.tables.processes
    assert not bench.tables.sockets
    assert not bench.tables.lanes


def test_nowhere_is_a_place_to_land_that_keeps_nothing(
    agent: AgentProcess, writing: Callable[..., WriterProcess]
) -> None:
    agent.land_at("nowhere://")
    agent.set("HOPWATCH_AGENT_MERGE_SECONDS", "0.2")
    agent.start()
    writer = writing()
    eventually(lambda: agent.get("/v1/status")["rows_landed"] > 50)
    eventually(lambda: agent.get("/v1/sockets")[0]["counters"]["sent"] > 100)
    status = agent.get("/v1/status")
    assert (status["landing"], status["errors"], status["faults"]) == ("nowhere://", [], 0)
    writer.end()
    assert agent.terminate() == (0, "")
    assert list(agent.landed.glob("**/*")) == []
    assert not list(agent.data.glob("landed*"))
