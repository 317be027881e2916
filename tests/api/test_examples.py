"""The examples in the description of the interface: of each answer and each error, as a real agent gives them to who asks."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plain_http
import pytest
from agent_process import AgentProcess, eventually
from beside_an_agent import Beside
from hopwatch_api import create_app
from hopwatch_api.health import HealthModel
from hopwatch_api.problems import Problem
from hopwatch_api.v1.incident_models import IncidentModel
from hopwatch_api.v1.live_models import LiveModel
from hopwatch_api.v1.models import (
    ConnectionModel,
    EventModel,
    LaneModel,
    SocketFindingModel,
    SocketModel,
)
from hopwatch_api.v1.status_models import StatusModel
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter
from reports import end, hop, incident, now, report, write

MODELS: dict[str, Any] = {
    "/v1/status": StatusModel,
    "/v1/sockets": list[SocketModel],
    "/v1/sockets/{identity}": SocketModel,
    "/v1/connections": list[ConnectionModel],
    "/v1/lanes": list[LaneModel],
    "/v1/findings": list[SocketFindingModel],
    "/v1/events": list[EventModel],
    "/v1/incidents": list[IncidentModel],
    "/healthz": HealthModel,
    "/readyz": HealthModel,
}
FREE = {"settings", "versions", "options", "values"}
"""Objects whose keys are no part of the contract."""
JSON, PROBLEM = "application/json", "application/problem+json"
Description = dict[str, Any]


class Silent:
    """An agent's state that nobody asks."""


@pytest.fixture(scope="module")
def description() -> Description:
    return create_app(Silent(), metrics=lambda _accept: None).openapi()


def contents(description: Description) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Path, status, media type and content of every answer."""
    for path, operations in description["paths"].items():
        for status, answer in operations["get"]["responses"].items():
            for kind, content in answer.get("content", {}).items():
                yield path, status, kind, content


def examples_of(content: dict[str, Any]) -> list[Any]:
    several = [each["value"] for each in content.get("examples", {}).values()]
    return [content["example"], *several] if "example" in content else several


def test_every_answer_has_an_example(description: Description) -> None:
    found = list(contents(description))
    assert len(found) > 50
    assert [(path, status) for path, status, _, content in found if not examples_of(content)] == []


def test_examples_are_of_their_models_and_lack_nothing(description: Description) -> None:
    checked = set()
    for path, status, kind, content in contents(description):
        if kind in (JSON, PROBLEM):
            adapter = TypeAdapter(Problem if kind == PROBLEM else MODELS[path])
            for example in examples_of(content):
                told = adapter.validate_json(json.dumps(example), extra="forbid", strict=True)
                dumped = adapter.dump_python(told, mode="json", by_alias=True, exclude_unset=True)
                assert differences(dumped, example) == []
                if kind == JSON:
                    assert differences(adapter.dump_python(told, mode="json", by_alias=True), example) == []
                checked.add((path, status))
    assert {path for path, _ in checked} >= MODELS.keys()


def test_examples_of_problems_say_what_their_status_says(description: Description) -> None:
    for _, status, kind, content in contents(description):
        if kind == PROBLEM:
            assert {example["status"] for example in examples_of(content)} == {int(status)}


def differences(told: Any, example: Any, at: str = "") -> list[str]:
    """Where the keys of one are not those of the other; what is null in one of them can have any."""
    if isinstance(told, dict) and isinstance(example, dict):
        if at.rsplit(".", 1)[-1] in FREE:
            return []
        lacking = [f"{at}.{name}" for name in sorted(told.keys() ^ example.keys())]
        both = [name for name in told if name in example]
        return lacking + [
            text for name in both for text in differences(told[name], example[name], f"{at}.{name}")
        ]
    if isinstance(told, list) and isinstance(example, list):
        pairs = [(one, another) for one in told for another in example]
        return [text for one, another in pairs for text in differences(one, another, f"{at}[]")]
    alike = told is None or example is None or _kind(told) == _kind(example)
    return [] if alike else [f"{at}: {told!r} and {example!r}"]


def _kind(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def test_what_differs_is_found() -> None:
    one = {"a": 1, "b": [{"c": None}], "options": {"x": 1}}
    assert differences(one, {"a": 2.5, "b": [{"c": "x"}], "options": {"y": 1}}) == []
    assert differences(one, {"a": 1, "b": [{"d": 1}], "options": {}}) == [".b[].c", ".b[].d"]
    assert differences(one, {"a": "1", "b": [], "options": {}}) == [".a: 1 and '1'"]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    """An agent with all that the examples have: losses, a finding, connections that the kernel tells of, a fault, an error, a report."""
    folder: Path = tmp_path_factory.mktemp("agent")
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(folder, others, "--report", str(folder / "out"))
    agent.start()
    beside = Beside(agent, folder)
    beside.lossy_pair("quotes", "slow", "--dontwait", paused=True)
    early = now(-7200), now(-7100)
    ends = end("a", "00000000000000a1", "PUB"), end("b", "00000000000000b2", "SUB")
    found = [incident("a → b", "00000000000000a1", *early)]
    write(folder / "out", report(*early, hops=[hop(*ends)], incidents=found))
    eventually(lambda: {i["source"] for i in agent.get("/v1/incidents")} == {"agent", "analysis"})
    (folder / "out" / "report.json").unlink()
    eventually(lambda: agent.get("/v1/status")["errors"])
    eventually(lambda: any(c["tcp"] and c["peer"] for c in agent.get("/v1/connections")))
    yield agent
    beside.reap()
    agent.kill()


@pytest.mark.parametrize("path", MODELS)
def test_a_real_answer_has_the_keys_of_its_example(
    agent: AgentProcess, description: Description, path: str
) -> None:
    sockets = agent.get("/v1/sockets?type=PUB")
    told = agent.get(path.replace("{identity}", sockets[0]["id"]))
    (example,) = examples_of(description["paths"][path]["get"]["responses"]["200"]["content"][JSON])
    assert told
    assert differences(told, example) == []
    TypeAdapter(MODELS[path]).validate_json(json.dumps(told), extra="forbid", strict=True)


def test_what_the_examples_show_was_there_to_compare(agent: AgentProcess) -> None:
    (quotes,) = agent.get("/v1/sockets?type=PUB")
    assert [finding["rule"] for finding in quotes["findings"]] == ["dontwait_never_raises"]
    assert quotes["process"]["usage"]
    assert agent.get("/v1/lanes")[0]["backlog"]
    assert agent.get("/v1/events?kind=gap")
    assert agent.get("/v1/status")["usage"]


def test_a_message_of_live_has_the_keys_of_its_example(agent: AgentProcess, description: Description) -> None:
    content = description["paths"]["/v1/live"]["get"]["responses"]["200"]["content"]["text/event-stream"]
    example = messages(content["example"])
    with plain_http.stream("GET", f"{agent.url}/v1/live", timeout=20) as answer:
        lines = answer.iter_lines()
        told = [next(lines) for _ in range(4)]
    ((kind, data),) = messages("\n".join(told) + "\n")
    assert example[0][0] == kind
    assert example[-1] == ("end", {})
    for each in (data, example[0][1]):
        LiveModel.model_validate_json(json.dumps(each), extra="forbid", strict=True)
    assert differences(data, example[0][1]) == []


def messages(text: str) -> list[tuple[str, Any]]:
    """(event, data) of each message of a stream."""
    found = []
    for message in text.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in message.splitlines())
        assert set(fields) == {"event", "id", "data"}
        found.append((fields["event"], json.loads(fields["data"])))
    return found


def test_metrics_are_as_in_their_examples(agent: AgentProcess, description: Description) -> None:
    content = description["paths"]["/metrics"]["get"]["responses"]["200"]["content"]
    for accept, parse in (
        ("text/plain", text_string_to_metric_families),
        ("application/openmetrics-text", openmetrics.text_string_to_metric_families),
    ):
        (example,) = parse(content[accept]["example"])
        kind = f"{accept};version=1.0.0" if "open" in accept else accept
        told = plain_http.get(f"{agent.url}/metrics", headers={"Accept": kind}, timeout=30)
        assert told.headers["content-type"].startswith(accept)
        same = next(family for family in parse(told.text) if family.name == example.name)
        assert (same.documentation, same.type) == (example.documentation, example.type)


@pytest.mark.parametrize(
    ("path", "kind", "headers"),
    [
        ("/v1/sockets?limit=0", "invalid-parameters", {}),
        ("/v1/sockets/5f1c3a9be27d4480", "unknown-socket", {}),
        ("/v1/sockets", "other-name", {"Host": "attacker.example"}),
    ],
)
def test_a_real_problem_is_its_example(
    agent: AgentProcess, description: Description, path: str, kind: str, headers: dict[str, str]
) -> None:
    told = plain_http.get(agent.url + path, headers=headers)
    of_path = "/v1/sockets/{identity}" if path.count("/") == 3 else "/v1/sockets"
    answers = description["paths"][of_path]["get"]["responses"]
    assert told.json() == answers[str(told.status_code)]["content"][PROBLEM]["examples"][kind]["value"]


def test_what_is_pushed_what_is_refused_and_incidents_have_a_schema_as_well(description: Description) -> None:
    described = set(description["components"]["schemas"])
    assert {LiveModel.__name__, Problem.__name__, IncidentModel.__name__} < described
