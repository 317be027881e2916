"""What is counted stays counted: the totals of sockets that are told of as one."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from hopwatch_agent import cleaning
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.live.series import OTHER, Series, parts_of, program_of
from hopwatch_agent.telemetry.snapshot import take
from hopwatch_agent.telemetry.sums import sums_of
from journal_writer import COUNTER_NAMES, JournalWriter

Alive = Callable[[JournalWriter], AbstractContextManager[None]]
QUOTES = Series("web-1", "app.py", "quotes", "PUB")


def socket_id(number: int) -> str:
    return f"{number:016x}"


def close(writer: JournalWriter, number: int, **counters: int) -> None:
    told = dict.fromkeys(COUNTER_NAMES, 0) | counters
    writer.event("closed", socket=socket_id(number), counters=told)


def counted(bench: Any, name: str) -> dict[Series | None, int]:
    """A counter of each series, as metrics tell it."""
    place = COUNTERS.index(name)
    return {sums.parts: sums.counters[place] for sums in sums_of(take(bench.board)).values()}


def forget_all(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What some minutes would do."""
    monkeypatch.setattr(cleaning, "SHOW_GONE_SECONDS", -1)
    bench.reopen()
    bench.tick()


def test_sockets_of_one_name_type_and_program_are_added_up(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        for number, sent in ((1, 5), (2, 7)):
            writer.opened(socket_id(number), slot=number)
            writer.set_counters(socket_id(number), number, sent=sent)
        bench.tick()
    assert counted(bench, "sent") == {QUOTES: 12}


def test_containers_of_a_pod_that_run_the_same_program_are_told_apart(bench: Any, alive: Alive) -> None:
    writers = [bench.writer(place={"pod": "feed-0", "container": name}) for name in ("left", "right")]
    with alive(writers[0]), alive(writers[1]):
        for number, writer in enumerate(writers, 1):
            writer.opened(socket_id(number), slot=1)
            writer.set_counters(socket_id(number), 1, sent=number)
        bench.tick()
    expected = {QUOTES._replace(container="left"): 1, QUOTES._replace(container="right"): 2}
    assert counted(bench, "sent") == expected
    bench.reopen()
    assert counted(bench, "sent") == expected


def test_a_process_that_comes_after_another_in_its_container_counts_on(bench: Any) -> None:
    for number in (1, 2):
        writer = bench.writer(place={"pod": "feed-0", "container": "app"})
        writer.opened(socket_id(number), slot=1)
        writer.set_counters(socket_id(number), 1, sent=5)
        bench.tick()
    assert counted(bench, "sent") == {QUOTES._replace(container="app"): 10}


@pytest.mark.parametrize("place", [None, {"pod": "feed-0"}])
def test_a_container_that_is_not_known_is_no_part_of_a_series(
    bench: Any, alive: Alive, place: dict[str, str] | None
) -> None:
    writer = bench.writer(place=place)
    with alive(writer):
        writer.opened(socket_id(1))
        bench.tick()
    assert bench.tables.totals.keys() == {'["web-1","app.py","quotes","PUB"]'}
    assert counted(bench, "sent").keys() == {QUOTES}


def test_no_id_gets_into_a_series(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        # the name that the instrumentation gives to a socket that has none
        writer.opened("abcdef0123456789", name="pub-abcdef")
        bench.tick()
    (series,) = counted(bench, "sent")
    assert series == QUOTES._replace(name="")


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("python app.py --port 5556", "app.py"),
        ("/usr/bin/python3.11 -X dev -u /srv/app/main.py x", "main.py"),
        ("python -m package.module --token secret", "package.module"),
        ("python -c print(1)", "python"),
        ("/usr/local/bin/uvicorn app:app", "uvicorn"),
        ("python3 /usr/local/bin/celery worker", "celery"),
        ("", ""),
    ],
)
def test_a_program_is_told_without_its_arguments(command: str, program: str) -> None:
    assert program_of(command) == program


def test_a_socket_that_closes_and_is_forgotten_stays_counted(
    bench: Any, alive: Alive, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = bench.writer()
    with alive(writer):
        writer.opened(socket_id(1), slot=1)
        writer.set_counters(socket_id(1), 1, sent=5)
        bench.tick()
        before = counted(bench, "sent")
        close(writer, 1, sent=6)
        writer.opened(socket_id(2), slot=2)
        writer.set_counters(socket_id(2), 2, sent=1)
        bench.tick()
        assert (before, counted(bench, "sent")) == ({QUOTES: 5}, {QUOTES: 7})
        forget_all(bench, monkeypatch)
        assert bench.tables.sockets.keys() == {socket_id(2)}
        assert counted(bench, "sent") == {QUOTES: 7}


def test_a_process_that_is_gone_and_forgotten_stays_counted_over_a_restart_of_the_agent(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = bench.writer()
    for number in (1, 2):
        writer.opened(socket_id(number), slot=number)
        writer.set_counters(socket_id(number), number, sent=5, waited_ns=10)
    close(writer, 2, sent=6)
    bench.tick()
    bench.land()
    bench.tick()
    assert counted(bench, "sent") == {QUOTES: 11}
    forget_all(bench, monkeypatch)
    assert bench.tables.sockets == {}
    assert counted(bench, "sent") == {QUOTES: 11}
    bench.reopen()
    assert counted(bench, "sent") == {QUOTES: 11}


def test_what_there_is_no_room_for_is_gathered_and_stays_so_over_a_restart(bench: Any, alive: Alive) -> None:
    bench.reopen(Limits(series=2))
    writer = bench.writer()
    with alive(writer):
        for number in range(5):
            writer.opened(socket_id(number + 1), slot=number, name=f"name {number}")
            writer.set_counters(socket_id(number + 1), number, sent=10 + number)
        bench.tick()
        told = counted(bench, "sent")
        bench.reopen()
        bench.tick()
        assert counted(bench, "sent") == told
    assert {parts and parts.name: sent for parts, sent in told.items()} == {
        "name 0": 10,
        "name 1": 11,
        None: 12 + 13 + 14,
    }


def test_series_whose_sockets_are_forgotten_make_room_for_others(
    bench: Any, alive: Alive, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.reopen(Limits(series=1))
    writer = bench.writer()
    with alive(writer):
        writer.opened(socket_id(1), slot=1, name="first")
        close(writer, 1, sent=5)
        bench.tick()
        bench.reopen()
        monkeypatch.setattr(cleaning, "SHOW_GONE_SECONDS", -1)
        bench.tick()
        writer.opened(socket_id(2), slot=2, name="second")
        bench.tick()
    assert {parts and parts.name for parts in counted(bench, "sent")} == {"second"}


def test_a_journal_that_opens_a_socket_twice_lets_no_sum_fall(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        writer.opened(socket_id(1), slot=1)
        writer.set_counters(socket_id(1), 1, sent=5)
        bench.tick()
        writer.opened(socket_id(1), slot=2)
        bench.tick()
        assert counted(bench, "sent") == {QUOTES: 5}


def test_sums_stay_within_63_bits(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 2**63 - 1
    writer = bench.writer()
    for number in (1, 2):
        writer.opened(socket_id(number), slot=None)
        close(writer, number, sent=most)
    bench.tick()
    bench.land()
    assert counted(bench, "sent") == {QUOTES: most}
    forget_all(bench, monkeypatch)
    assert counted(bench, "sent") == {QUOTES: most}


def test_a_reconnect_is_a_connect_that_worked_before(bench: Any, alive: Alive) -> None:
    writer = bench.writer()
    with alive(writer):
        writer.opened(socket_id(1), slot=1, kind="SUB")
        for connection in (1, 2, 3):
            place = {"socket": socket_id(1), "connection": connection, "endpoint": "tcp://1.2.3.4:5"}
            writer.event("connected", **place)
            writer.event("disconnected", **place)
        accepted = {"socket": socket_id(1), "connection": 4, "endpoint": "tcp://1.2.3.4:5", "accepted": True}
        writer.event("connected", **accepted)
        writer.event("handshake_failed", socket=socket_id(1), endpoint="tcp://1.2.3.4:5", reason=1)
        bench.tick()
    (sums,) = sums_of(take(bench.board)).values()
    assert dict(
        zip(("connected", "reconnected", "disconnected", "failed"), sums.connections, strict=True)
    ) == {
        "connected": 4,
        "reconnected": 2,
        "disconnected": 3,
        "failed": 1,
    }


def test_the_series_of_all_others_has_no_parts() -> None:
    assert parts_of(OTHER) is None
