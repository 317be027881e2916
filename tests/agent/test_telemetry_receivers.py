"""Agents that tell real receivers: an OTLP collector by both protocols, and Prometheus."""

import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import plain_http
import pytest
from agent_process import AgentProcess, WriterProcess, eventually
from hopwatch_agent.agent import Agent
from hopwatch_agent.logs.events import EVENT_FIELDS
from hopwatch_agent.settings.sections import settings_from
from hopwatch_agent.settings.sources import options_from
from hopwatch_agent.telemetry import push
from journal_writer import JournalWriter
from ports import free_ports
from receivers import Collector, tool

SOCKET = "00000000000000a1"
PROMETHEUS_FOLDER = Path(__file__).parents[2] / "agent" / "prometheus"


@pytest.fixture
def collector(tmp_path: Path) -> Iterator[Collector]:
    collector = Collector(tmp_path)
    yield collector
    collector.stop()


@pytest.fixture
def writer(tmp_path: Path) -> JournalWriter:
    """The journal of a process that is gone and lost 3 of 8 messages."""
    writer = JournalWriter(tmp_path / "journal", lock=False)
    writer.opened(SOCKET, kind="SUB", name="slow")
    writer.set_counters(SOCKET, 0, received=5, lost=3, gaps=1)
    writer.event("gap", socket=SOCKET, stream="00000000000000b2", lane=0, first=3, last=5)
    return writer


@contextmanager
def agent_within(folder: Path) -> Iterator[Agent]:
    """An agent in this process, with the settings of the environment."""
    flags = {"dir": str(folder / "journal"), "data": str(folder / "data"), "listen": "127.0.0.1:0"}
    (folder / "data").mkdir(exist_ok=True)
    agent = Agent(settings_from(options_from({}, flags), os.environ))
    agent.start()
    yield agent
    agent.stop(80)


@pytest.fixture
def push_to(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def push_to(endpoint: str, **more: str) -> None:
        told = {"ENDPOINT": endpoint, **more}
        for name, value in told.items():
            monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
        monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "200")

    return push_to


def errors(agent: Agent) -> dict[str, str]:
    with agent.board.held() as shown:
        return {source: text for source, (text, _) in shown.progress.errors.items()}


@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_collector_gets_metrics_and_events(
    tmp_path: Path, collector: Collector, writer: JournalWriter, push_to: Callable[..., None], protocol: str
) -> None:
    collector.start()
    push_to(collector.grpc if protocol == "grpc" else collector.http, PROTOCOL=protocol)
    with agent_within(tmp_path) as agent:
        eventually(lambda: "hopwatch.lost.messages" in collector.said())
        said = eventually(lambda: "EventName: hopwatch.loss" in collector.said() and collector.said())
        assert errors(agent) == {}
    assert pushing() == []
    lost = said[said.index("Name: hopwatch.lost.messages") :]
    assert re.search(r"IsMonotonic: true\n.*CUMULATIVE", lost)
    assert re.search(r"hopwatch.socket.name: Str\(slow\)\n(.*\n)*?Value: 3\n", lost[:1000])
    assert "Body: Str(3 messages lost on the way to slow (SUB), in 1 gap)" in said
    assert "service.name: Str(hopwatch-agent)" in said
    assert "messaging.system: Str(zeromq)" in said


def test_an_agent_that_ends_tells_what_was_counted_to_the_end(
    tmp_path: Path,
    collector: Collector,
    writer: JournalWriter,
    push_to: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collector.start()
    push_to(collector.http)
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "60000")
    with agent_within(tmp_path):
        pass

    def told() -> bool:
        said = collector.said()
        lost = said.partition("Name: hopwatch.lost.messages")[2][:1000]
        return "Value: 3\n" in lost and "EventName: hopwatch.loss" in said

    eventually(told)


@pytest.mark.extended("a receiver and an agent that waits")
def test_what_was_counted_is_told_at_the_end_though_it_cannot_be_landed(
    agent: AgentProcess, collector: Collector, writer: JournalWriter
) -> None:
    collector.start()
    agent.set("OTEL_EXPORTER_OTLP_ENDPOINT", collector.http)
    agent.set("OTEL_METRIC_EXPORT_INTERVAL", "60000")
    agent.landed.write_text("in the way")
    agent.start("--stop-seconds", "4")
    eventually(lambda: "EventName: hopwatch.loss" in collector.said())
    assert agent.terminate()[0] == 1
    eventually(lambda: "hopwatch.lost.messages" in collector.said())


@pytest.mark.extended("a receiver that comes and goes")
def test_a_collector_that_comes_later_and_goes_in_between_gets_everything(
    tmp_path: Path,
    collector: Collector,
    writer: JournalWriter,
    push_to: Callable[..., None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    push_to(collector.http, TIMEOUT="5")
    with agent_within(tmp_path) as agent:
        told = eventually(lambda: len(errors(agent)) == 2 and errors(agent))
        assert told["telemetry metrics"].startswith("cannot export metrics: ")
        with agent.board.held() as shown:
            assert shown.progress.export_failures["metrics"] > 0
        collector.start()
        eventually(lambda: errors(agent) == {}, 60)
        eventually(lambda: "EventName: hopwatch.loss" in collector.said())
    assert [record for record in caplog.records if "opentelemetry" in record.name] == []
    failing = [record for record in caplog.records if record.getMessage() == "failing"]
    sources = {getattr(record, EVENT_FIELDS)["source"] for record in failing}
    assert sources == {"telemetry logs", "telemetry metrics"}


def test_a_receiver_that_never_answers_keeps_neither_ticks_nor_the_end_waiting(
    tmp_path: Path, writer: JournalWriter, push_to: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopwatch_agent.agent.TELEMETRY_SECONDS", 0.3)
    monkeypatch.setattr(push, "ABORT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        push_to(f"http://127.0.0.1:{mute.getsockname()[1]}", TIMEOUT="1000")
        with agent_within(tmp_path) as agent:
            accepted, _ = mute.accept()
            before = tick_of(agent)
            eventually(lambda: tick_of(agent) > before)
        # the agent has ended, and the request has not: its thread cannot be taken out of the request; it keeps no process from ending, and ends with the request
        (thread,) = pushing()
        assert thread.daemon
        accepted.close()
    eventually(lambda: not pushing())


def tick_of(agent: Agent) -> float:
    with agent.board.held() as shown:
        return shown.progress.last_tick or 0


def pushing() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "hopwatch-telemetry"]


def test_prometheus_scrapes_a_real_agent_and_its_rules_fire(
    tmp_path: Path, agent: AgentProcess, writer: JournalWriter
) -> None:
    program = tool("prometheus")
    writer.opened("00000000000000c1", slot=1, kind="SUB", name="old", t=time.time_ns() - 3600 * 10**9)
    writer.set_counters("00000000000000c1", 1, received=5, lost=6)
    agent.start()
    (port,) = free_ports(1)
    target = agent.url.removeprefix("http://")
    config = tmp_path / "prometheus.yml"
    config.write_text(
        f"global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 200ms}}\n"
        f"rule_files: ['{PROMETHEUS_FOLDER}/hopwatch.rules.yaml']\n"
        f"scrape_configs: [{{job_name: hopwatch, static_configs: [{{targets: ['{target}']}}]}}]\n"
    )
    options = [f"--config.file={config}", f"--storage.tsdb.path={tmp_path}/tsdb", "--log.level=error"]
    process = subprocess.Popen([program, *options, f"--web.listen-address=127.0.0.1:{port}"])
    try:
        asked = 'hopwatch_lost_messages_total{hopwatch_socket_name="old"}'
        alert = 'count by (hopwatch_socket_name) (ALERTS{alertname="HopwatchMessagesLost"})'
        assert labels(eventually(lambda: query(port, alert), 60)) == [{"hopwatch_socket_name": "slow"}]
        eventually(lambda: values(query(port, 'up{job="hopwatch"}')) == ["1"])
        eventually(lambda: values(query(port, asked)) == ["6"])
        lossy = JournalWriter(agent.journal, lock=False)
        lossy.opened("00000000000000c2", kind="SUB", name="old")
        lossy.event("closed", socket="00000000000000c2", counters={"lost": 4})
        eventually(lambda: {"hopwatch_socket_name": "old"} in labels(query(port, alert)), 60)
        eventually(lambda: values(query(port, asked)) == ["10"])
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.extended("a receiver and two agents, fifteen seconds")
def test_no_counter_falls_when_the_agent_is_killed(
    agent: AgentProcess, writing: Callable[..., WriterProcess]
) -> None:
    def sent() -> float:
        line = re.search(r"^messaging_client_sent_messages_total\{.*\} (.*)$", metrics(agent), re.MULTILINE)
        return float(line[1]) if line else 0.0

    agent.start()
    writer = writing()
    told = [eventually(sent)]
    for _ in range(2):
        told.append(eventually(lambda: (now := sent()) > told[-1] and now))
        agent.kill()
        agent.start()
        told.append(sent())
    written = writer.end()
    eventually(lambda: sent() == written)
    assert told == sorted(told)


def metrics(agent: AgentProcess) -> str:
    answer = plain_http.get(f"{agent.url}/metrics", timeout=30)
    assert answer.status_code == 200
    return answer.text


def query(port: int, expression: str) -> list[dict[str, Any]]:
    try:
        answer = plain_http.get(f"http://127.0.0.1:{port}/api/v1/query", params={"query": expression})
    except httpx.TransportError:
        return []
    return answer.json()["data"]["result"] if answer.status_code == 200 else []


def labels(found: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [each["metric"] for each in found]


def values(found: list[dict[str, Any]]) -> list[str]:
    return [each["value"][1] for each in found]


@pytest.mark.parametrize("command", [["check", "rules"], ["test", "rules"]])
def test_the_alert_rules_are_sound(command: list[str]) -> None:
    name = "hopwatch.rules.yaml" if command[0] == "check" else "hopwatch.rules.test.yaml"
    done = subprocess.run(
        [tool("promtool"), *command, str(PROMETHEUS_FOLDER / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
