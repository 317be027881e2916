"""Whatever is asked, the answer is one that the OpenAPI description promises, and never the server's fault.

``HOPWATCH_API_EXAMPLES`` sets how many requests are tried of each operation.
"""

import os
from collections.abc import Callable, Iterator

import pytest
import schemathesis
from agent_process import AgentProcess, eventually
from hypothesis import HealthCheck, given, settings
from journal_writer import JournalWriter
from schemathesis import GenerationMode
from schemathesis.checks import ignored_auth, positive_data_acceptance

EXAMPLES = int(os.environ.get("HOPWATCH_API_EXAMPLES", "12"))
KNOWN = "correct-horse-battery"
SOCKET = "00000000000000a1"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentProcess]:
    """An agent that asks for a token, with data of every kind that it shows."""
    folder = tmp_path_factory.mktemp("schema")
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(folder, {**others, "HOPWATCH_AGENT_TOKEN": KNOWN})
    agent.token = KNOWN
    writer = JournalWriter(agent.journal)
    _write_everything(writer)
    agent.start()
    eventually(lambda: agent.get("/v1/incidents"))
    yield agent
    agent.kill()
    writer.close()


def _write_everything(writer: JournalWriter) -> None:
    writer.opened(SOCKET, name="quotes\x1b[31m\ud83d\ude00")
    endpoint = {"endpoint": "tcp://127.0.0.1:5555"}
    writer.event("bind", socket=SOCKET, **endpoint)
    ends = {"local": "127.0.0.1:5555", "remote": None, "accepted": True, "sent": 0, "received": 0}
    writer.event("connected", socket=SOCKET, connection=1, **endpoint, **ends)
    writer.event("handshake_failed", socket=SOCKET, **endpoint, reason=2**62)
    writer.event("option", socket=SOCKET, option="affinity", value=2**64 - 1)
    writer.event("lane", socket=SOCKET, stream=SOCKET, lane=0, topic="ff00", slot=[0, 0])
    writer.event("finding", socket=SOCKET, rule="conflate", text="", advice="")
    writer.event("onset", socket=SOCKET, number=4, lane=0, lane_number=4)
    writer.event("unroutable", socket=SOCKET, number=2**63 - 1, messages=7, reason="unknown_peer", peer="00")
    gap = {"stream": SOCKET, "lane": 0, "first": 0, "last": 2**63 - 1, "before": 0, "after": 2**63 - 1}
    writer.event("gap", socket=SOCKET, **gap, before_sent_at=0, after_sent_at=2**63 - 1, received=2**63 - 1)
    writer.event("fault", text="no such thing")
    writer.raw(b"garbage\n")


Checked = Callable[[schemathesis.Case], None]


def each_operation(guarded: AgentProcess, check: Checked, examples: int) -> None:
    """Tries so many requests of each operation, valid ones and others. ``/v1/live`` has no end, and tests of its own."""
    headers = {"Authorization": f"Bearer {KNOWN}"}
    schema = schemathesis.openapi.from_url(f"{guarded.url}/openapi.json", headers=headers)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        if operation.path != "/v1/live":
            takes_nothing = not list(operation.iter_parameters())
            for mode in (GenerationMode.POSITIVE,) if takes_nothing else GenerationMode:
                tried = given(case=operation.as_strategy(generation_mode=mode))(check)
                settings(
                    max_examples=examples,
                    deadline=None,
                    derandomize=True,
                    database=None,
                    suppress_health_check=list(HealthCheck),
                )(tried)()


def test_every_answer_is_one_of_those_described(guarded: AgentProcess) -> None:
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {KNOWN}"}, timeout=10)

    each_operation(guarded, check, EXAMPLES)


def test_who_knows_no_token_gets_an_answer_that_is_described_too(guarded: AgentProcess) -> None:
    def check(case: schemathesis.Case) -> None:
        answer = case.call(headers={"Authorization": "Bearer none"}, timeout=10)
        case.validate_response(answer, excluded_checks=[positive_data_acceptance, ignored_auth])
        assert answer.status_code in ({200} if case.operation.path in {"/healthz", "/readyz"} else {401, 405})

    each_operation(guarded, check, 2)
