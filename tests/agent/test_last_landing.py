"""What is left when an agent is told to end lands, also where the place fails at first, within the time that it has."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from agent_process import AgentProcess, WriterProcess, eventually

Writing = Callable[..., WriterProcess]


@pytest.fixture
def failing(agent: AgentProcess, writing: Writing) -> int:
    """How many onsets wait in an agent whose place fails, and whose application has ended."""
    agent.set("HOPWATCH_AGENT_LOG_LEVEL", "warning")
    agent.landed.write_text("in the way")
    agent.start()
    writer = writing()
    eventually(lambda: agent.get("/v1/status")["errors"])
    return writer.end()


def tried_at_the_end(agent: AgentProcess) -> None:
    """SIGTERM, and waits until what was left could not be landed."""
    assert agent.process is not None
    assert agent.process.stderr is not None
    agent.process.terminate()
    line = " "
    while "landing_again" not in line:
        line = agent.process.stderr.readline()
        assert line, "it has ended"


def test_a_place_that_is_mended_after_the_first_try_gets_everything(
    agent: AgentProcess, failing: int
) -> None:
    tried_at_the_end(agent)
    agent.landed.unlink()
    assert agent.process is not None
    agent.process.communicate(timeout=120)
    assert agent.process.returncode == 0
    assert sorted(row["number"] for row in agent.rows("onset")) == list(range(failing))


@pytest.mark.parametrize("stop_seconds", ["0.1", "3"])
def test_what_a_place_that_stays_broken_did_not_take_is_landed_by_the_next_run(
    agent: AgentProcess, stop_seconds: str, request: pytest.FixtureRequest
) -> None:
    agent.set("HOPWATCH_AGENT_STOP_SECONDS", stop_seconds)
    written = request.getfixturevalue("failing")
    status, said = agent.terminate()
    assert status == 1
    unread = f"in the journals under {agent.journal} and " if stop_seconds == "0.1" else ""
    rest = f"in the database under {agent.data}, and lands when an agent runs on that folder again"
    beginning = "not everything could be landed: the rest stays "
    assert f"{beginning}{rest}" in said or f"{beginning}{unread}{rest}" in said
    agent.landed.unlink()
    agent.set("HOPWATCH_AGENT_STOP_SECONDS", "80")
    agent.start()
    assert agent.terminate()[0] == 0
    assert sorted(row["number"] for row in agent.rows("onset")) == list(range(written))


def test_a_second_signal_ends_the_tries(agent: AgentProcess, failing: int) -> None:
    tried_at_the_end(agent)
    assert agent.terminate()[0] == 1
    agent.landed.unlink()
    agent.start()
    assert agent.terminate()[0] == 0
    assert len(agent.rows("onset")) == failing


def test_who_pauses_after_a_failure_lands_at_once_when_told_to_end(
    agent: AgentProcess, writing: Writing
) -> None:
    agent.set("HOPWATCH_AGENT_LAND_SECONDS", "3600")
    agent.set("HOPWATCH_AGENT_LAND_ROWS", "1")
    agent.landed.write_text("in the way")
    agent.start()
    writer = writing()
    eventually(lambda: agent.get("/v1/status")["errors"])
    agent.landed.unlink()
    written = writer.end()
    assert agent.terminate() == (0, "")
    assert len(agent.rows("onset")) == written


class BusyStore(ThreadingHTTPServer):
    """An object store that answers 503 until it has refused so many requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.refuses: float = float("inf")
        self.taken = 0


class _Answers(BaseHTTPRequestHandler):
    server: BusyStore
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        while size := int(self.rfile.readline(), 16):
            self.rfile.read(size + len("\r\n"))
        while self.rfile.readline().strip():
            """Trailers."""
        refused = self.server.refuses > 0
        self.server.refuses -= refused
        self.server.taken += not refused
        self.send_response(503 if refused else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, code: object = "-", size: object = "-") -> None:
        """Nothing."""


@contextmanager
def serving(store: BusyStore) -> Iterator[str]:
    thread = threading.Thread(target=store.serve_forever, args=(0.05,))
    thread.start()
    yield f"s3://key:secret@bucket/x?scheme=http&endpoint_override=127.0.0.1%3A{store.server_port}"
    store.shutdown()
    thread.join()
    store.server_close()


@pytest.mark.extended("waits for a store that is busy")
def test_an_object_store_that_is_busy_for_a_while_is_asked_until_it_is_not(
    agent: AgentProcess, writing: Writing
) -> None:
    store = BusyStore()
    with serving(store) as uri:
        agent.land_at(uri)
        agent.start()
        writer = writing()
        eventually(lambda: agent.get("/v1/status")["errors"])
        writer.end()
        store.refuses = 3
        status, _ = agent.terminate()
    assert status == 0
    assert store.taken > 0
