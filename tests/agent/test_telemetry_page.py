"""/metrics: what Prometheus is told, and in which form."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from every_count import PUB, ROUTER, SUB, write_every_count
from hopwatch_agent.backlog.shown import Backlog, BacklogShown
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.page import MetricsPage
from journal_writer import JournalWriter
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from receivers import tool

Alive = Callable[[JournalWriter], AbstractContextManager[None]]
Samples = dict[tuple[str, str], float]


@pytest.fixture
def page(bench: Any) -> MetricsPage:
    return MetricsPage(bench.board, Identity("box-1", "a1b2c3"))


@pytest.fixture
def writer(bench: Any, alive: Alive) -> Iterator[JournalWriter]:
    writer = bench.writer()
    with alive(writer):
        yield writer


def samples(page: MetricsPage) -> Samples:
    """Values by name of the metric and of the socket."""
    return {
        (sample.name, sample.labels.get("hopwatch_socket_name", "")): sample.value
        for family in parse_text(page.answer("").body.decode())
        for sample in family.samples
    }


def test_every_count_of_the_sockets_is_there(bench: Any, page: MetricsPage, writer: JournalWriter) -> None:
    write_every_count(writer)
    bench.tick()
    told = samples(page)
    expected = {
        ("messaging_client_consumed_messages_total", "slow"): 90,
        ("messaging_client_sent_messages_total", "quotes"): 100,
        ("hopwatch_received_payload_bytes_total", "slow"): 900,
        ("hopwatch_sent_payload_bytes_total", "quotes"): 1000,
        ("hopwatch_gaps_total", "slow"): 2,
        ("hopwatch_lost_messages_total", "slow"): 8,
        ("hopwatch_late_messages_total", "slow"): 1,
        ("hopwatch_duplicated_messages_total", "slow"): 3,
        ("hopwatch_eagain_total", "slow"): 5,
        ("hopwatch_eagain_total", "quotes"): 6,
        ("hopwatch_onsets_total", "quotes"): 4,
        ("hopwatch_send_waits_total", "quotes"): 2,
        ("hopwatch_send_wait_time_seconds_total", "quotes"): 1.5,
        ("hopwatch_pending_sends", "quotes"): 8,
        ("hopwatch_unroutable_messages_total", "desk"): 9,
        ("hopwatch_missing_messages", "slow"): 7,
        ("hopwatch_missing_messages", "desk"): 9,
        ("hopwatch_connects_total", "slow"): 2,
        ("hopwatch_disconnects_total", "slow"): 1,
        ("hopwatch_reconnects_total", "slow"): 1,
        ("hopwatch_handshake_failures_total", "quotes"): 1,
        ("hopwatch_connections", "slow"): 1,
        ("hopwatch_findings", "slow"): 1,
        ("hopwatch_sockets", "desk"): 1,
        ("hopwatch_agent_processes", ""): 1,
        ("hopwatch_agent_series", ""): 4,
    }
    assert {key: told.get(key) for key in expected} == expected
    assert told["process_memory_usage_bytes", ""] > 10_000_000


def test_messages_have_the_attributes_of_the_messaging_conventions(
    bench: Any, page: MetricsPage, writer: JournalWriter
) -> None:
    write_every_count(writer)
    bench.tick()
    text = page.answer("").body.decode()
    (line,) = [
        line for line in text.splitlines() if line.startswith("messaging_client_sent") and "quotes" in line
    ]
    assert line == (
        'messaging_client_sent_messages_total{hopwatch_host="web-1",hopwatch_program="app.py",'
        'hopwatch_socket_name="quotes",hopwatch_socket_type="PUB",messaging_operation_name="send",'
        'messaging_system="zeromq"} 100.0'
    )


def test_the_container_of_an_application_is_a_label_where_it_is_known(
    bench: Any, page: MetricsPage, alive: Alive
) -> None:
    inside, outside = bench.writer(place={"container": "app"}), bench.writer()
    with alive(inside), alive(outside):
        inside.opened(PUB, name="inside")
        outside.opened(SUB, name="outside")
        bench.tick()
        families = parse_text(page.answer("").body.decode())
    labels = {
        sample.labels["hopwatch_socket_name"]: sample.labels.get("hopwatch_container", "")
        for family in families
        for sample in family.samples
        if sample.name == "hopwatch_sockets"
    }
    assert labels == {"inside": "app", "outside": ""}


def test_a_series_says_since_when_it_counts_after_a_restart_of_the_agent_too(
    bench: Any, writer: JournalWriter
) -> None:
    for number, (socket, opened_at) in enumerate(((PUB, 1_700_000_000), (ROUTER, 1_700_000_060)), 1):
        writer.opened(socket, slot=number, t=opened_at * 10**9)
    for _ in range(2):
        bench.tick()
        page = MetricsPage(bench.board, Identity("box-1", "a1b2c3"))
        assert samples(page)["hopwatch_series_start_time_seconds", "quotes"] == 1_700_000_000
        bench.reopen()


def test_a_backlog_is_told_of_those_who_send_and_of_those_who_receive(bench: Any, page: MetricsPage) -> None:
    writer = bench.writer()
    for slot, (socket, kind) in enumerate(((PUB, "PUB"), (SUB, "SUB"))):
        writer.opened(socket, slot=slot, kind=kind, name=kind.lower())
    bench.tick()
    with bench.board.held() as shown:
        waiting = Backlog(at_most=9, at_least=4, oldest_at_least=2.5)
        shown.backlog = BacklogShown(sent={PUB: waiting}, received={SUB: waiting})
    told = samples(page)
    for name in ("pub", "sub"):
        values = [told[f"hopwatch_backlog_{what}", name] for what in ("at_least", "at_most", "age_seconds")]
        assert values == [4, 9, 2.5]


def test_promtool_finds_nothing_to_mend(bench: Any, page: MetricsPage, writer: JournalWriter) -> None:
    write_every_count(writer)
    bench.tick()
    command = [tool("promtool"), "check", "metrics"]
    checked = subprocess.run(command, input=page.answer("").body, capture_output=True, check=False)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


def test_openmetrics_is_told_to_who_asks_for_it(bench: Any, page: MetricsPage, writer: JournalWriter) -> None:
    write_every_count(writer)
    bench.tick()
    answer = page.answer("application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
    assert answer.content_type.startswith("application/openmetrics-text")
    names = {family.name for family in parse_openmetrics(answer.body.decode())}
    assert {"hopwatch_lost_messages", "messaging_client_sent_messages", "target"} <= names


@pytest.mark.parametrize(
    "version", ["version=abc", "version=", "version", "version=1.x", "version=99999999999999999999.0"]
)
def test_a_version_that_is_none_gets_a_page_all_the_same(
    bench: Any, page: MetricsPage, writer: JournalWriter, version: str
) -> None:
    for kind in ("application/openmetrics-text", "text/plain"):
        answer = page.answer(f"{kind}; {version}")
        assert answer.status == 200
        assert b"hopwatch_agent_ready" in answer.body


def test_events_lost_are_counted_on_when_their_process_is_not_shown_any_more(
    bench: Any, page: MetricsPage, writer: JournalWriter
) -> None:
    writer.next_n += 7
    writer.event("onset", socket=PUB, number=1, lane=0, lane_number=1)
    bench.tick()
    with bench.board.held() as shown:
        assert shown.tables.processes
        shown.tables.processes.clear()
    writer.close()
    assert samples(page)["hopwatch_agent_events_lost_total", ""] == 7


def test_a_late_message_lets_no_counter_fall(bench: Any, page: MetricsPage, writer: JournalWriter) -> None:
    writer.opened(SUB, slot=0, kind="SUB", name="slow")
    writer.set_counters(SUB, 0, received=10, lost=5)
    bench.tick()
    before = samples(page)
    # the late one was taken off already, and is not counted as late yet: what a reading between two stores sees
    for counts in ({"lost": 4, "reordered": 0}, {"lost": 4, "reordered": 1}):
        writer.set_counters(SUB, 0, received=11, **counts)
        bench.tick()
        told = samples(page)
        assert (
            told["hopwatch_lost_messages_total", "slow"]
            == before["hopwatch_lost_messages_total", "slow"]
            == 5
        )
    assert told["hopwatch_late_messages_total", "slow"] == 1


def test_what_was_there_once_is_told_as_0_as_long_as_its_socket_is_known(
    bench: Any, page: MetricsPage, writer: JournalWriter
) -> None:
    writer.opened(PUB, slot=0, name="quotes")
    writer.set_counters(PUB, 0, pending_sends=3)
    bench.tick()
    assert samples(page)["hopwatch_pending_sends", "quotes"] == 3
    writer.set_counters(PUB, 0, pending_sends=0)
    bench.tick()
    assert samples(page)["hopwatch_pending_sends", "quotes"] == 0


def test_what_there_is_no_room_for_is_one_series(bench: Any, writer: JournalWriter) -> None:
    bench.reopen(Limits(series=1))
    page = MetricsPage(bench.board, Identity("box-1", "a1b2c3"))
    for n, socket in enumerate((SUB, PUB, ROUTER)):
        writer.opened(socket, slot=n, kind="PUB", name=f"name {n}")
        writer.set_counters(socket, n, sent=10)
    bench.tick()
    text = page.answer("").body.decode()
    (other,) = [line for line in text.splitlines() if 'overflow="true"' in line and "client_sent" in line]
    assert other.endswith(" 20.0")
    assert samples(page)["hopwatch_agent_gathered_sockets", ""] == 2


def test_names_that_a_journal_makes_up_break_no_page(
    bench: Any, page: MetricsPage, writer: JournalWriter
) -> None:
    writer.opened(SUB, slot=0, kind='S"B\\', name='a"b\\c\nd\u2028' + "x" * 10_000)
    writer.event("finding", socket=SUB, rule="r\n# TYPE x counter", text="t", advice="a")
    writer.set_counters(SUB, 0, sent=1)
    bench.tick()
    assert any(name == "messaging_client_sent_messages_total" for name, _ in samples(page))
    assert len(page.answer("").body) < 20_000


def test_scrapes_at_the_same_time_get_a_whole_page_each(
    bench: Any, page: MetricsPage, writer: JournalWriter
) -> None:
    write_every_count(writer)
    bench.tick()
    pages: list[list[str]] = []

    def scrape() -> None:
        for _ in range(5):
            text = page.answer("").body.decode()
            pages.append([line for line in text.splitlines() if line.startswith("hopwatch_onsets_total")])

    threads = [threading.Thread(target=scrape) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {len(lines) for lines in pages} == {len(pages[0])}
    assert len(pages) == 20
    assert pages[0]


def test_a_disabled_sdk_says_so(bench: Any) -> None:
    answer = MetricsPage(bench.board, Identity("box-1", "x"), disabled=True).answer("")
    assert (answer.status, b"OTEL_SDK_DISABLED" in answer.body) == (503, True)
