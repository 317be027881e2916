"""A request that has no answer gets a problem (RFC 9457), which says what is wrong and what there is."""

import asyncio
import json
import os
import socket
from collections.abc import Iterator

import httpx
import plain_http
import pytest
from agent_process import AgentProcess
from hopwatch_api import create_app
from hopwatch_api.problems import Problem


class Failing:
    """An agent's state that cannot be asked for anything."""


def problem_of(answer: httpx.Response, name: str, status: int) -> Problem:
    """The problem, which is of that kind, and well-formed."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    found = Problem.model_validate(answer.json(), extra="forbid")
    assert (found.type, found.status) == (f"tag:hopwatch.dev,2026:{name}", status)
    return found


def test_a_parameter_that_there_is_not_is_refused_with_those_that_there_are(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/events?aftr=1&limit=5")
    (error,) = problem_of(answer, "invalid-parameters", 422).errors
    assert (error.place, error.name, error.given) == ("query", "aftr", "1")
    assert error.text == "there is no such parameter here; did you mean after?"
    assert {"after", "limit"} <= set(error.allowed.split(", "))


def test_of_many_wrong_parameters_the_first_are_told(agent: AgentProcess) -> None:
    query = "&".join(f"p{number}=1" for number in range(1500))
    found = problem_of(plain_http.get(f"{agent.url}/v1/events?{query}"), "invalid-parameters", 422)
    assert [error.name for error in found.errors] == [f"p{number}" for number in range(20)]


def test_a_text_that_is_too_long_is_not_repeated_whole(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/sockets?name={'x' * 1001}")
    (error,) = problem_of(answer, "invalid-parameters", 422).errors
    assert (error.given, error.allowed) == ("x" * 100, "a text of 1000 characters at most")


@pytest.mark.parametrize("path", ["/v1/status", "/v1/sockets/00000000000000a1"])
def test_where_there_are_no_parameters_none_is_passed_over(agent: AgentProcess, path: str) -> None:
    (error,) = problem_of(plain_http.get(f"{agent.url}{path}?x="), "invalid-parameters", 422).errors
    assert (error.name, error.allowed) == ("x", "no parameter")


def test_each_value_that_cannot_be_used_is_told_with_what_it_may_be(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/events?after=x&limit=0")
    found = problem_of(answer, "invalid-parameters", 422)
    assert [(error.name, error.given, error.allowed) for error in found.errors] == [
        ("after", "x", "a whole number from 0 to 9223372036854775807"),
        ("limit", "0", "a whole number from 1 to 1000"),
    ]
    assert "limit=0: it must be a whole number from 1 to 1000" in found.detail


def test_a_value_that_would_count_for_nothing_is_refused(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/events?limit=1&limit=2")
    (error,) = problem_of(answer, "invalid-parameters", 422).errors
    assert (error.name, error.given) == ("limit", "1, 2")


def test_an_id_that_is_none_is_told_as_such(agent: AgentProcess) -> None:
    (error,) = problem_of(plain_http.get(f"{agent.url}/v1/sockets/xyz"), "invalid-parameters", 422).errors
    assert (error.place, error.name, error.allowed) == ("path", "identity", "16 hex digits")


def test_a_path_that_there_is_not_and_a_method_that_there_is_not(agent: AgentProcess) -> None:
    assert "/v1/sokets" in problem_of(plain_http.get(f"{agent.url}/v1/sokets"), "unknown-path", 404).detail
    answer = plain_http.post(f"{agent.url}/v1/sockets")
    assert problem_of(answer, "wrong-method", 405).detail == "POST is no method of /v1/sockets; there is GET"
    assert answer.headers["allow"] == "GET"


def test_another_name_is_refused(agent: AgentProcess) -> None:
    answer = plain_http.get(f"{agent.url}/v1/status", headers={"Host": "attacker.example"})
    assert "allowed_hosts" in problem_of(answer, "other-name", 421).detail


def test_what_is_no_request_gets_a_problem_too(agent: AgentProcess) -> None:
    host, port = agent.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(b"NO SUCH THING AS THIS\r\n\r\n")
        head, _, body = b"".join(iter(lambda: connection.recv(4096), b"")).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"\r\ncontent-type: application/problem+json" in head.lower()
    assert json.loads(body)["type"] == "tag:hopwatch.dev,2026:unreadable"


@pytest.fixture(scope="module")
def without_metrics(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path_factory.mktemp("silent"), {**others, "OTEL_SDK_DISABLED": "true"})
    agent.start()
    yield agent
    agent.kill()


def test_metrics_that_are_turned_off_are_a_problem(without_metrics: AgentProcess) -> None:
    answer = plain_http.get(f"{without_metrics.url}/metrics")
    assert problem_of(answer, "metrics-off", 503).detail == "OTEL_SDK_DISABLED is true"


def test_a_fault_says_no_more_than_where_to_look() -> None:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(Failing()), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://agent") as client:
            return await client.get("/v1/sockets")

    assert "Failing" not in problem_of(asyncio.run(ask()), "fault", 500).detail
