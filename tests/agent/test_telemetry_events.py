"""What happened is told in few events, and what was left out is counted."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.telemetry import log_events
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.log_events import EventBook, Happening
from hopwatch_agent.telemetry.log_records import record_of
from hopwatch_agent.telemetry.resource import resource_of
from hopwatch_agent.telemetry.signals import EventsSignal
from journal_writer import JournalWriter
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, LogRecordExportResult

SOCKET = "00000000000000a1"
SENDER = "00000000000000b2"
Alive = Callable[[JournalWriter], AbstractContextManager[None]]


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def book(bench: Any, clock: Clock) -> EventBook:
    book = EventBook(bench.tables, clock)
    bench.board.listener = book.note
    return book


@pytest.fixture
def writer(bench: Any, alive: Alive) -> Iterator[JournalWriter]:
    writer = bench.writer()
    writer.opened(SOCKET, kind="SUB", name="slow")
    with alive(writer):
        yield writer


def gap(writer: JournalWriter, first: int, last: int, **more: Any) -> None:
    writer.event("gap", socket=SOCKET, stream=SENDER, lane=0, first=first, last=last, **more)


def told(book: EventBook) -> dict[str, Happening]:
    return {happening.event: happening for happening in book.take()}


def test_a_flood_of_gaps_is_one_event_with_their_number(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    for n in range(50):
        gap(writer, 10 * n, 10 * n + 2, t=1000 + n)
    gap(writer, 900, 909, lost=1, t=2000)
    bench.tick()
    (loss,) = book.take()
    assert (loss.event, loss.times, loss.messages) == ("hopwatch.loss", 51, 151)
    assert (loss.first_at, loss.last_at, loss.values["first"]) == (1000, 2000, 900)
    assert book.take() == []


def test_onsets_unroutable_messages_and_findings_are_told_too(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    for number in range(5):
        writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)
    writer.event("unroutable", socket=SOCKET, number=9, messages=7, reason="unknown_peer", peer="6162")
    writer.event("finding", socket=SOCKET, rule="one", text="risky", advice="change it")
    writer.event("finding", socket=SOCKET, rule="two", text="risky", advice="change it")
    bench.tick()
    happenings = book.take()
    assert sorted((each.event, each.times, each.messages) for each in happenings) == [
        ("hopwatch.finding", 1, 0),
        ("hopwatch.finding", 1, 0),
        ("hopwatch.onset", 5, 0),
        ("hopwatch.unroutable", 1, 7),
    ]


def test_faults_are_told_of_a_socket_or_of_nobodys(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    writer.event("fault", socket=SOCKET, text="it failed")
    writer.raw(b"garbage\n")
    writer.raw(b"more garbage\n")
    bench.tick()
    of_socket, of_process = sorted(book.take(), key=lambda happening: happening.socket is None)
    assert (of_socket.event, of_socket.values["text"], of_socket.times) == ("hopwatch.fault", "it failed", 1)
    assert (of_process.event, of_process.times) == ("hopwatch.fault", 2)
    record = record_of(of_process, resource_of(Identity("box-1", "x"), {})).log_record
    assert record.body == of_process.values["text"]


def test_an_event_says_of_which_program_and_container_it_is(bench: Any, alive: Alive) -> None:
    bench.reopen(Limits(series=0))
    book = EventBook(bench.tables)
    bench.board.listener = book.note
    writer = bench.writer(place={"container": "app"})
    with alive(writer):
        writer.opened(SOCKET, kind="SUB", name="slow")
        gap(writer, 1, 3)
        writer.raw(b"garbage\n")
        bench.tick()
    records = [record_of(each, resource_of(Identity("box-1", "x"), {})).log_record for each in book.take()]
    names = ("hopwatch.program", "hopwatch.container", "hopwatch.socket.type", "otel.metric.overflow")
    assert {
        record.event_name: [(record.attributes or {}).get(name) for name in names] for record in records
    } == {
        "hopwatch.loss": ["app.py", "app", "SUB", None],
        "hopwatch.fault": ["app.py", "app", None, None],
    }


def test_a_reconnect_is_told_and_a_first_connection_is_not(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    place = {"socket": SOCKET, "endpoint": "tcp://10.0.0.1:5555", "remote": "10.0.0.1:5555"}
    writer.event("connected", connection=1, **place)
    bench.tick()
    assert book.take() == []
    writer.event("disconnected", connection=1, **place)
    writer.event("connected", connection=2, **place)
    bench.tick()
    assert told(book)["hopwatch.reconnect"].values["remote"] == "10.0.0.1:5555"


def test_more_than_may_be_told_waits_and_is_gathered(
    bench: Any, book: EventBook, writer: JournalWriter, clock: Clock
) -> None:
    sockets = [f"{n + 1:016x}" for n in range(log_events.EVENTS_A_MINUTE + 10)]
    for socket in sockets:
        writer.opened(socket, slot=None, kind="SUB")
        writer.event("onset", socket=socket, number=1)
    bench.tick()
    assert len(book.take()) == log_events.EVENTS_A_MINUTE
    assert book.take() == []
    for socket in sockets:
        writer.event("onset", socket=socket, number=2)
    bench.tick()
    clock.now += 60
    times = [happening.times for happening in book.take()]
    assert (len(times), times.count(2)) == (log_events.EVENTS_A_MINUTE, 10)


def test_what_there_is_no_room_for_is_counted(
    bench: Any, book: EventBook, writer: JournalWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_events, "WAITING_KEPT", 2)
    for rule in ("one", "two", "three"):
        writer.event("finding", socket=SOCKET, rule=rule, text="t", advice="a")
    for _ in range(3):
        writer.event("onset", socket=SOCKET, number=1)
    bench.tick()
    assert [happening.values["rule"] for happening in book.take()] == ["one", "two"]
    assert {event: count for event, count in book.untold.items() if count} == {
        "hopwatch.finding": 1,
        "hopwatch.onset": 3,
    }


def test_what_could_not_be_told_is_told_with_what_came_since(
    bench: Any, book: EventBook, writer: JournalWriter, clock: Clock
) -> None:
    gap(writer, 1, 5, t=1000)
    bench.tick()
    untold = book.take()
    gap(writer, 7, 7, t=2000)
    bench.tick()
    book.put_back(untold)
    (loss,) = book.take()
    assert (loss.times, loss.messages, loss.first_at, loss.values["first"]) == (2, 6, 1000, 7)


class Raising(InMemoryLogRecordExporter):
    """Raises once, as the libraries do of what they did not expect."""

    raised = False

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        if not self.raised:
            self.raised = True
            raise RuntimeError("unexpected")
        return super().export(batch)


def test_what_an_exporter_raised_at_is_told_the_next_time(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    gap(writer, 1, 3)
    bench.tick()
    exporter = Raising()
    signal = EventsSignal(exporter, Identity("web-1", "abc"), book)
    with pytest.raises(RuntimeError):
        signal.push()
    assert signal.push()
    (record,) = exporter.get_finished_logs()
    assert record.log_record.event_name == "hopwatch.loss"


def test_whatever_a_journal_says_can_be_exported(bench: Any, book: EventBook, writer: JournalWriter) -> None:
    most = 2**63 - 1
    for _ in range(2):
        gap(writer, 0, most, lost=most, t=most)
        writer.event("unroutable", socket=SOCKET, number=most, messages=most, reason="\U0001f4a5\x00", t=0)
        writer.event("finding", socket=SOCKET, rule="r" * 9000, text="\x00\ufffe", advice="", t=most)
    bench.tick()
    records = [record_of(each, resource_of(Identity("box-1", "x"), {})) for each in book.take()]
    encoded = str(encode_logs(records))
    assert len(records) == encoded.count("event_name") == 3
    assert encoded.count(f"int_value: {most}") >= encoded.count('"hopwatch.messages"') == 2


def test_nothing_is_told_a_second_time_after_a_restart(
    bench: Any, writer: JournalWriter, book: EventBook
) -> None:
    gap(writer, 1, 5)
    bench.tick()
    assert len(book.take()) == 1
    bench.reopen()
    again = EventBook(bench.tables)
    bench.board.listener = again.note
    bench.tick()
    assert again.take() == []


def test_an_event_says_in_words_and_attributes_what_happened(
    bench: Any, book: EventBook, writer: JournalWriter
) -> None:
    gap(writer, 3, 5)
    bench.tick()
    record = record_of(told(book)["hopwatch.loss"], resource_of(Identity("box-1", "x"), {})).log_record
    assert record.event_name == "hopwatch.loss"
    assert record.body == "3 messages lost on the way to slow (SUB), in 1 gap"
    assert record.attributes is not None
    assert {
        name: record.attributes[name] for name in ("hopwatch.host", "hopwatch.program", "hopwatch.messages")
    } == {
        "hopwatch.host": "web-1",
        "hopwatch.program": "app.py",
        "hopwatch.messages": 3,
    }
    assert record.attributes["hopwatch.loss.stream"] == SENDER
