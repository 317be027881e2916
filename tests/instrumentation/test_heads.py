"""Each segment begins with what stands, word for word: who reads that one alone knows who everybody is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hopwatch
import pytest
import zmq
from hopwatch.journal import events
from hopwatch.journal.events import LINE_BYTES, EventLog
from journal_reader import Journal
from small_disks import fill, small_disk

SOCKET = "00000000000000a1"
Until = Callable[..., Any]


class Log:
    """An event log, and how many events it could not write."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.lost = 0
        self.log = EventLog(directory, "p", self._header, self._count)

    def write(self, event: str, **fields: Any) -> None:
        self.log.write(event, {"socket": SOCKET, **fields})

    def indices(self) -> list[int]:
        return sorted(int(path.name.split(".")[1]) for path in self.directory.glob("*.events"))

    def lines(self, index: int) -> list[bytes]:
        return (self.directory / f"p.{index:04d}.events").read_bytes().splitlines(keepends=True)

    def newest(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines(self.indices()[-1])]

    @staticmethod
    def _header(index: int, first: int) -> dict[str, Any]:
        return {"event": "segment", "index": index, "first": first}

    def _count(self, count: int) -> None:
        self.lost += count


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(events, "SEGMENT_BYTES", 10_000)
    return 10_000


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def fill_segment(log: Log) -> None:
    """Write events that do not stand until the next segment has begun."""
    before = log.indices()[-1]
    while log.indices()[-1] == before:
        log.write("gap", text="x" * 500)


def test_a_head_has_the_lines_that_stand_as_they_were_written(small_segments: int, log: Log) -> None:
    log.write("opened", name="é")
    log.write("option", option="linger", value=1)
    log.write("option", option="linger", value=2)
    fill_segment(log)
    _, opened, _, linger, *_ = log.lines(0)
    segment, *head, standing, own = log.lines(1)
    assert head == [opened, linger]
    told = json.loads(standing)
    assert told.pop("t") > 0
    assert told == {"event": "standing", "left_out": 0, "after": None, "last": True, "sockets": {SOCKET: []}}
    assert json.loads(segment)["first"] == json.loads(own)["n"]
    fill_segment(log)
    assert log.lines(2)[1:3] == [opened, linger]


def test_the_event_that_a_segment_begins_with_is_in_no_head_before_it(small_segments: int, log: Log) -> None:
    log.write("opened", name="a")
    while len(log.indices()) == 1:
        log.write("option", option="linger", value=1)
    segment, opened, linger, standing, own = log.newest()
    assert (opened["n"], standing["event"]) == (1, "standing")
    assert (linger["n"], own["n"]) == (segment["first"] - 1, segment["first"])


def test_a_segment_may_be_begun_at_any_time_and_goes_on_as_any_other(log: Log) -> None:
    log.write("opened", name="a")
    log.log.begin_anew()
    assert [line["event"] for line in log.newest()] == ["segment", "opened", "standing"]
    log.write("option", option="linger", value=1)
    assert log.indices() == [0, 1]
    assert log.newest()[-1]["n"] == log.newest()[0]["first"] == 2
    for path in log.directory.glob("*.events"):
        path.unlink()
    log.log.begin_anew()
    assert [line.get("n") for line in log.newest()] == [None, 1, 2, None]
    assert log.lost == 0


def test_a_segment_that_cannot_be_begun_is_begun_once_it_can(tmp_path: Path, until: Until) -> None:
    (tmp_path / "journal").mkdir()
    log = Log(tmp_path / "journal")
    log.write("opened", name="a")
    log.directory.rename(tmp_path / "away")
    log.log.begin_anew()
    log.write("option", option="linger", value=1)
    log.write("gap")
    assert log.lost == 2
    (tmp_path / "away").rename(log.directory)

    def has_begun() -> bool:
        log.log.begin_anew()
        return log.indices() == [0, 1]

    until(has_begun)
    assert [line["event"] for line in log.newest()] == ["segment", "opened", "option", "standing"]
    assert log.newest()[0]["first"] == 4
    assert sorted(path.name for path in log.directory.iterdir()) == ["p.0000.events", "p.0001.events"]


def test_a_head_that_a_full_disk_has_no_room_for_is_not_begun_and_comes_whole_later(
    tmp_path: Path, until: Until
) -> None:
    with small_disk(tmp_path / "disk", 1):
        log = Log(tmp_path / "disk")
        log.write("opened", name="a")
        for number in range(1500):
            log.write("lane", stream=SOCKET, lane=number, topic="61" * 100)
        filler = fill(log.directory)
        log.log.begin_anew()
        log.write("option", option="linger", value=1)
        assert log.indices() == [0]
        assert log.lost == 1
        assert not list(log.directory.glob("*.new"))
        filler.unlink()

        def has_begun() -> bool:
            log.write("gap")
            return log.indices() == [0, 1]

        until(has_begun)
        segment, *head, standing, own = log.newest()
        assert [line["n"] for line in head] == list(range(1, 1503))
        assert standing["event"] == "standing"
        assert segment["first"] == own["n"]
        log.log.abandon()


def test_a_large_head_is_followed_by_as_much_as_it_takes_and_fewer_segments_are_kept(
    small_segments: int, log: Log
) -> None:
    log.write("opened", name="a")
    for number in range(200):
        log.write("lane", stream=SOCKET, lane=number, topic="61" * 100)
    for _ in range(20):
        fill_segment(log)
    *complete, _ = log.indices()
    sizes = [(log.directory / f"p.{index:04d}.events").stat().st_size for index in complete]
    head = sum(map(len, log.lines(complete[-1])[:203]))
    assert head > 4 * small_segments
    assert all(2 * head <= size < 2 * head + 1000 for size in sizes)
    assert len(complete) == 1
    assert events.SEGMENTS_KEPT * small_segments < 2 * sizes[0]


def test_a_head_has_a_bound_and_says_how_much_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch, log: Log
) -> None:
    monkeypatch.setattr(events, "HEAD_BYTES", 1000)
    log.write("opened", name="a")
    for number in range(50):
        log.write("lane", stream=SOCKET, lane=number, topic="")
    log.write("option", option="linger", value=1)
    log.log.begin_anew()
    *_, option, standing = log.newest()
    assert option["event"] == "option"
    assert standing["left_out"] == 51 - (len(log.newest()) - 3)
    assert sum(map(len, log.lines(1)[1:-1])) <= 1000


def test_no_line_of_a_head_is_too_long(log: Log) -> None:
    for number in range(8000):
        log.log.write("opened", {"socket": f"{number:016x}"})
    log.log.begin_anew()
    lines = log.lines(1)
    assert max(map(len, lines)) < LINE_BYTES
    told = [line for line in log.newest() if line["event"] == "standing"]
    assert [line["last"] for line in told] == [False, False, False, True]
    assert sum(len(line["sockets"]) for line in told) == 8000


def test_the_newest_segment_alone_tells_all_of_real_sockets(
    context: zmq.Context, journal: Journal, until: Until
) -> None:
    pub = hopwatch.wrap(context.socket(zmq.PUB), name="quotes", sequence="stamp")
    sub = hopwatch.wrap(context.socket(zmq.SUB), name="trader", sequence="stamp")
    sub.rcvhwm = 77
    sub.subscribe(b"a")
    port = pub.bind_to_random_port("tcp://127.0.0.1")
    sub.connect(f"tcp://127.0.0.1:{port}")
    gone = hopwatch.wrap(context.socket(zmq.PUSH), name="gone")
    gone.close()

    def arrives() -> bool:
        pub.send_multipart([b"a", b"x"])
        return bool(sub.poll(10))

    until(arrives)
    sub.recv_multipart()
    until(lambda: len(journal.events("handshake")) == 2)
    before = {event["n"]: event for event in journal.events()}
    pub._hopwatch.journal._log.begin_anew()  # noqa: SLF001 -- nothing in a process asks for it yet
    newest = max(journal.directory.glob("*.events"))
    segment, *head, standing = [json.loads(line) for line in newest.read_bytes().splitlines()]
    assert [before[line["n"]] for line in head] == head
    kinds = {line["event"] for line in head if line["socket"] == journal.of("trader", "opened")[0]["socket"]}
    assert kinds >= {"opened", "option", "subscribe", "connect", "monitor", "connected", "handshake", "lane"}
    assert {line["name"] for line in head if line["event"] == "opened"} == {"quotes", "trader"}
    assert sorted(standing["sockets"].values()) == [[1], [1]]
    assert segment["first"] == max(before) + 1
