"""The dashboard and the alert rules ask for what real agents tell, by the labels that it bears."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, suppress

import plain_http
import pytest
import yaml
from agent_process import AgentProcess, eventually
from charts import CHART
from every_count import write_every_count
from journal_writer import JournalWriter
from lively_sockets import lively_sockets
from prometheus_client.parser import text_string_to_metric_families as parse
from prometheus_queries import Query

CONTAINER = "app"
DASHBOARD = json.loads((CHART / "files" / "dashboard.json").read_text())
RULES = yaml.safe_load((CHART / "files" / "hopwatch.rules.yaml").read_text())


def of_the_dashboard() -> Iterator[Query]:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            shown = re.findall(r"{{(\w+)}}", target["legendFormat"])
            yield Query(target["expr"], frozenset(shown))
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            values = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"])
            assert values is not None
            yield Query(values[1], frozenset({values[2]}))


def of_the_rules() -> Iterator[Query]:
    for group in RULES["groups"]:
        for rule in group["rules"]:
            shown = re.findall(r"\$labels\.(\w+)", " ".join(rule["annotations"].values()))
            yield Query(rule["expr"], frozenset(shown))


QUERIES = [*of_the_dashboard(), *of_the_rules()]
ASKED = {each for query in QUERIES for each in query.asked()}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, set[str]]]:
    """The labels of each metric of an agent that has something of everything to tell, and nowhere to push it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOPWATCH_")}
    push = {"ENDPOINT": "http://127.0.0.1:1", "TIMEOUT": "1"}
    environment |= {f"OTEL_EXPORTER_OTLP_{name}": value for name, value in push.items()}
    agent = AgentProcess(
        tmp_path_factory.mktemp("agent"), environment | {"OTEL_METRIC_EXPORT_INTERVAL": "200"}
    )
    writer = JournalWriter(agent.journal, place={"container": CONTAINER})
    write_every_count(writer)
    with closing(writer), lively_sockets(agent.journal, K8S_CONTAINER_NAME=CONTAINER):
        agent.start()
        labels: dict[str, set[str]] = {}

        def are_told() -> bool:
            labels.update(labels_of(agent))
            return all(label in labels.get(metric, set()) for metric, label in ASKED)

        try:
            with suppress(AssertionError):  # each test tells what it misses
                eventually(are_told)
            yield labels
        finally:
            agent.kill()


def labels_of(agent: AgentProcess) -> dict[str, set[str]]:
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for family in parse(plain_http.get(f"{agent.url}/metrics", timeout=20).text):
        for sample in family.samples:
            labels[sample.name] |= {"", *(name for name, value in sample.labels.items() if value)}
    return labels


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.expression[:60])
def test_every_metric_is_there_and_bears_every_label_that_is_asked_for(
    told: dict[str, set[str]], query: Query
) -> None:
    missing = {(metric, label) for metric, label in query.asked() if label not in told.get(metric, set())}
    assert missing == set()


def test_everything_that_is_shown_is_left_by_what_is_grouped() -> None:
    assert {query.expression: left_out for query in QUERIES if (left_out := query.left_out())} == {}


def test_what_is_grouped_by_sockets_tells_containers_and_programs_apart() -> None:
    grouped = [labels for query in QUERIES for labels in re.findall(r"by \(([^)]*)\)", query.expression)]
    of_sockets = [labels.split(", ") for labels in grouped if "hopwatch_socket" in labels]
    assert len(of_sockets) > 5
    assert all({"hopwatch_container", "hopwatch_program"} <= set(labels) for labels in of_sockets)
