"""What the kernel tells of connections, by series: added up over the connections that came and went."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, eventually
from hopwatch_agent.kernel.records import KernelShown, Limit, Tcp, TcpState
from hopwatch_agent.live.series import series_of
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hopwatch_agent.telemetry.snapshot import Taken, take
from hopwatch_agent.telemetry.tcp_metrics import GROWN, TcpSums
from lively_sockets import lively_sockets
from msgspec import structs
from prometheus_client.parser import text_string_to_metric_families as parse

STARTED = 1_000
SEGMENTS, RETRANSMISSIONS = 0, 1


def socket(identity: str) -> SocketState:
    state = SocketState(
        socket=identity,
        process="p",
        name="quotes",
        type="PUB",
        sequence=None,
        probed=False,
        proxy=None,
        options={},
        slot=None,
        opened_at=0,
    )
    return structs.replace(state, series=series_of(state, ProcessState("p", "web-1", command="app.py")))


def connection(of: str, number: int, since: int) -> ConnectionState:
    return ConnectionState(of, number, "p", "tcp://x", None, None, False, "ready", since)


def told(taken: Taken, **connections: tuple[int, int, int]) -> Taken:
    """The same with a connection of socket "1" for each name: (since, segments sent, retransmissions)."""
    states = [connection("1", number, since) for number, (since, *_) in enumerate(connections.values())]
    tcp = {
        ("1", str(number)): TcpState(
            1, Tcp(segments_sent=sent, retransmissions=again, send_queue=10), Limit("network")
        )
        for number, (_, sent, again) in enumerate(connections.values())
    }
    return replace(taken, sockets=[socket("1")], connections=states, kernel=KernelShown(tcp=tcp))


@pytest.fixture
def taken(bench: Any) -> Taken:
    now = take(bench.board)
    now.progress.started_at = STARTED
    return now


def grown(sums: TcpSums, place: int) -> float:
    return sum(sums.grown[place].values())


def test_what_a_connection_counted_stays_when_it_is_gone(taken: Taken) -> None:
    sums = TcpSums()
    sums.update(told(taken, first=(STARTED + 1, 100, 7)))
    sums.update(told(taken, first=(STARTED + 1, 150, 9), second=(STARTED + 5, 10, 1)))
    sums.update(told(taken, first=(STARTED + 1, 160, 9)))
    sums.update(told(taken))
    assert (grown(sums, SEGMENTS), grown(sums, RETRANSMISSIONS)) == (170, 10)
    assert [each.name for each in GROWN[:2]] == ["hopwatch.tcp.sent.segments", "hopwatch.tcp.retransmissions"]


def test_what_was_counted_before_the_agent_was_started_is_not_counted_again(taken: Taken) -> None:
    sums = TcpSums()
    sums.update(told(taken, old=(STARTED - 1, 1_000_000, 500)))
    assert grown(sums, SEGMENTS) == 0
    sums.update(told(taken, old=(STARTED - 1, 1_000_005, 501)))
    assert (grown(sums, SEGMENTS), grown(sums, RETRANSMISSIONS)) == (5, 1)


def test_a_collection_for_which_the_kernel_could_not_be_asked_makes_nothing_count_twice(taken: Taken) -> None:
    sums = TcpSums()
    sums.update(told(taken, first=(STARTED + 1, 1000, 7)))
    unasked = replace(told(taken, first=(STARTED + 1, 1000, 7)), kernel=KernelShown())
    sums.update(unasked)
    sums.update(unasked)
    sums.update(told(taken, first=(STARTED + 1, 1010, 8)))
    assert (grown(sums, SEGMENTS), grown(sums, RETRANSMISSIONS)) == (1010, 8)


def test_the_queues_and_limits_are_those_of_all_connections_together(taken: Taken) -> None:
    sums = TcpSums()
    sums.update(told(taken, first=(0, 1, 0), second=(0, 1, 0)))
    (now,) = sums.now.values()
    assert (now.send_queue, now.limits) == (20, {"network": 2})


@pytest.fixture
def lively(agent: AgentProcess) -> Iterator[None]:
    with lively_sockets(agent.journal):
        yield


def test_real_connections_and_what_waits_in_them_are_told_on_the_page(
    agent: AgentProcess, lively: None
) -> None:
    agent.start()

    def page() -> dict[tuple[str, str], float]:
        return {
            (sample.name, sample.labels.get("hopwatch_socket_name", "")): sample.value
            for family in parse(plain_http.get(f"{agent.url}/metrics", timeout=30).text)
            for sample in family.samples
        }

    wanted = {("hopwatch_tcp_rtt_seconds", "source"), ("hopwatch_backlog_at_least", "source")}
    shown = eventually(lambda: wanted <= (told := page()).keys() and told)
    assert 0 < shown["hopwatch_tcp_rtt_seconds", "source"] < 1
    assert shown["messaging_client_sent_messages_total", "source"] == 1050
    assert shown["hopwatch_backlog_at_least", "source"] == shown["hopwatch_backlog_at_most", "source"] == 50
    assert shown["messaging_client_consumed_messages_total", "sink"] == 1000
    assert ("hopwatch_tcp_retransmissions_total", "source") in shown
    assert agent.terminate()[0] == 0
