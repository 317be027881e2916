"""Each panel's query, asked of a real Prometheus that scrapes a real agent, comes to what the panel is to show; each rule can be evaluated."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from agent_process import AgentProcess, eventually
from charts import CHART
from every_count import PUB, ROUTER, SUB, write_every_count
from journal_writer import JournalWriter
from lively_sockets import lively_sockets
from prometheus_server import Prometheus, Sample, prometheus

PANELS = {
    panel["title"]: [target["expr"] for target in panel["targets"]]
    for panel in json.loads((CHART / "files" / "dashboard.json").read_text())["panels"]
    if panel["type"] != "row"
}
CHOSEN = {"$host": ".*", "$container": ".*", "$program": ".*", "$socket": ".*"}
SPANS = {"$__range_s": "600", "$__range": "10m", "$__rate_interval": "5m"}
AT_FIRST, MORE = 1_000, 600
"""Counts before Prometheus looks, and what comes to them while it does."""
FIRES_AT_ONCE = {"HopwatchMessagesLost", "HopwatchPipeFull", "HopwatchUnroutable"}
FIRES_LATER = {"HopwatchFinding", "HopwatchSendersWait", "HopwatchExportFails"}

Check = Callable[[list[Sample]], bool]


def names(*expected: str) -> Check:
    """Of these sockets alone it comes to more than nothing."""
    return lambda found: (
        {labels["hopwatch_socket_name"] for labels, value in found if value > 0} == set(expected)
    )


def only(value: float) -> Check:
    return lambda found: [value_ for _, value_ in found] == [value]


def about(value: float) -> Check:
    """An increase is reckoned up to the ends of the time that is asked for."""
    return lambda found: len(found) == 1 and 0.5 * value <= found[0][1] <= 2 * value


def sources(*expected: str) -> Check:
    return lambda found: (
        {labels["hopwatch_error_source"] for labels, value in found if value > 0} == set(expected)
    )


SHOWN: dict[str, Check] = {
    "Messages missing": about(AT_FIRST + MORE),
    "Sockets with full pipes": only(1),
    "Unroutable messages": about(AT_FIRST + MORE),
    "Agents that are not ready": only(0),
    "Lost messages, by receiver": names("slow"),
    "Full pipes, by sender": names("quotes"),
    "Sent": names("quotes"),
    "Received": names("slow"),
    "Oldest message on its way": names("source"),
    "Time that sends waited for room": names("quotes"),
    "Refused sends": names("quotes"),
    "Sends that wait in applications": names("quotes"),
    "Disconnections": names("slow"),
    "Handshakes that failed": names("quotes"),
    "Findings": lambda found: (
        {labels["hopwatch_finding_rule"] for labels, _ in found} == {"conflate_refused"}
    ),
    "What limits connections": lambda found: sum(value for _, value in found) == 2,
    "Retransmissions": lambda found: (
        {labels["hopwatch_socket_name"] for labels, _ in found} == {"source", "sink"}
    ),
    "Rows that wait to be landed": lambda found: len(found) == 1,
    "What does not work": sources("telemetry metrics", "telemetry logs"),
    "How far agents are behind": lambda found: len(found) == 1 and found[0][1] < 30,
    "What agents have lost": lambda found: [value for _, value in found] == [0, 0],
    "Memory": lambda found: len(found) == 1 and found[0][1] > 10_000_000,
}


def count(writer: JournalWriter, so_far: int) -> None:
    """What the sockets of the story have counted by now."""
    writer.set_counters(SUB, 0, received=so_far, lost=so_far, gaps=2)
    counts = {"sent": so_far, "onsets": so_far, "eagain_sends": so_far, "waited_ns": so_far * 1_000_000}
    writer.set_counters(PUB, 1, pending_sends=8, **counts)
    writer.set_counters(ROUTER, 2, unroutable=so_far)
    writer.event("handshake_failed", socket=PUB, endpoint="tcp://10.0.0.2:5555", reason=1)
    writer.event("disconnected", socket=SUB, endpoint="tcp://10.0.0.1:5555", connection=2)


@pytest.fixture(scope="module")
def scraped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    """A Prometheus that has seen an agent before and after all its counts grew."""
    folder = tmp_path_factory.mktemp("scraped")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOPWATCH_")}
    push = {"ENDPOINT": "http://127.0.0.1:1", "TIMEOUT": "1"}
    environment |= {f"OTEL_EXPORTER_OTLP_{name}": value for name, value in push.items()}
    agent = AgentProcess(folder, environment | {"OTEL_METRIC_EXPORT_INTERVAL": "200"})
    with ExitStack() as stack:
        writer = stack.enter_context(closing(JournalWriter(agent.journal)))
        write_every_count(writer)
        count(writer, AT_FIRST)
        stack.enter_context(lively_sockets(agent.journal))
        agent.start()
        stack.callback(agent.kill)
        target = agent.url.removeprefix("http://")
        server = stack.enter_context(prometheus(folder, target, CHART / "files" / "hopwatch.rules.yaml"))
        counted = 'hopwatch_lost_messages_total{hopwatch_socket_name="slow"}'
        eventually(lambda: server.ask(f"count_over_time({counted}[1m]) > 3"), 60)
        eventually(
            lambda: server.ask('hopwatch_agent_errors{hopwatch_error_source="telemetry logs"} > 0'), 60
        )
        count(writer, AT_FIRST + MORE)
        eventually(lambda: server.ask(f"{counted} == {AT_FIRST + MORE}"), 60)
        yield server


def asked(expression: str) -> str:
    """As Grafana would, with everything chosen."""
    for variable, value in {**CHOSEN, **SPANS}.items():
        expression = expression.replace(variable, value)
    assert "$" not in expression
    return expression


def test_every_panel_is_checked() -> None:
    assert SHOWN.keys() == PANELS.keys()


@pytest.mark.parametrize("title", SHOWN)
def test_a_panel_shows_what_it_is_to_show(scraped: Prometheus, title: str) -> None:
    found: list[Sample] = []

    def is_shown() -> bool:
        found[:] = [sample for expression in PANELS[title] for sample in scraped.ask(asked(expression))]
        return SHOWN[title](found)

    try:
        eventually(is_shown, 30)
    except AssertionError as error:
        raise AssertionError(f"{title}: {found}") from error


def test_what_is_chosen_is_shown_alone(scraped: Prometheus) -> None:
    (expression,) = PANELS["Sent"]
    chosen = expression.replace("$socket", "source")
    eventually(
        lambda: {labels["hopwatch_socket_name"] for labels, _ in scraped.ask(asked(chosen))} == {"source"}
    )


def test_every_rule_can_be_evaluated_and_those_fire_that_should(scraped: Prometheus) -> None:
    def states() -> dict[str, str]:
        return {name: rule["state"] for name, rule in scraped.rules().items() if rule["state"] != "inactive"}

    expected = dict.fromkeys(FIRES_AT_ONCE, "firing") | dict.fromkeys(FIRES_LATER, "pending")
    eventually(lambda: states() == expected, 30)
    assert {rule["health"] for rule in scraped.rules().values()} == {"ok"}
