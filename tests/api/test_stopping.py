"""How an agent ends: within its time, whatever is in the way, and with an exit status that says whether all was landed."""

import os
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter

STOP_SECONDS = 2.0
MANY_SECONDS = 110.0
LATE = 60.0
"""Later than any machine is, and well before what waits for ever or for so many seconds is given up."""


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[AgentProcess]:
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    agent = AgentProcess(tmp_path, others, "--stop-seconds", str(STOP_SECONDS))
    yield agent
    if agent.process is not None and agent.process.poll() is None:
        agent.kill()


def ended(agent: AgentProcess, number: signal.Signals = signal.SIGTERM) -> tuple[int, float, str]:
    """The exit status after a signal, how long it took, and what was said meanwhile."""
    assert agent.process is not None
    began = time.monotonic()
    agent.process.send_signal(number)
    _, said = agent.process.communicate(timeout=120)
    return agent.process.returncode, time.monotonic() - began, said


@pytest.fixture
def hung_place() -> Iterator[socket.socket]:
    """Where an object store would be that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(LATE)
        yield listener


def address_of(place: socket.socket) -> str:
    return f"s3://key:secret@bucket/x?scheme=http&endpoint_override=127.0.0.1%3A{place.getsockname()[1]}"


def test_a_landing_that_hangs_does_not_keep_it(agent: AgentProcess, hung_place: socket.socket) -> None:
    writer = JournalWriter(agent.journal)
    writer.opened("00000000000000a1")
    agent.land_at(address_of(hung_place))
    agent.start()
    landing, _ = hung_place.accept()

    status, seconds, _ = ended(agent)

    assert status == 1
    assert seconds < LATE
    landing.close()
    writer.close()


def test_a_second_signal_does_not_wait(agent: AgentProcess, hung_place: socket.socket) -> None:
    writer = JournalWriter(agent.journal)
    writer.opened("00000000000000a1")
    agent.land_at(address_of(hung_place))
    agent.start("--stop-seconds", str(MANY_SECONDS))
    landing, _ = hung_place.accept()
    assert agent.process is not None
    agent.process.terminate()
    eventually(lambda: not_served(agent))

    status, seconds, said = ended(agent, signal.SIGINT)

    assert status == 1
    assert seconds < LATE
    assert "told to end a second time" in said
    landing.close()
    writer.close()


def not_served(agent: AgentProcess) -> bool:
    host, port = agent.url.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=LATE).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_database_that_somebody_else_has_locked_does_not_keep_it(agent: AgentProcess) -> None:
    writer = JournalWriter(agent.journal)
    agent.start()
    eventually(lambda: agent.get("/v1/status")["processes"] == 1)
    locker = sqlite3.connect(agent.data / "agent.sqlite3", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    writer.opened("00000000000000a1")

    status, seconds, _ = ended(agent)

    assert status == 1
    assert seconds < LATE
    locker.execute("ROLLBACK")
    locker.close()
    writer.close()
    agent.start("--stop-seconds", str(MANY_SECONDS))
    assert agent.terminate()[0] == 0
    assert [row["state"] for row in agent.rows("socket")] == ["opened"]


def test_an_interrupt_is_an_orderly_end_too(agent: AgentProcess) -> None:
    writer = JournalWriter(agent.journal)
    writer.opened("00000000000000a1")
    agent.start("--stop-seconds", str(MANY_SECONDS))
    eventually(lambda: agent.get("/v1/sockets"))

    status, _, _ = ended(agent, signal.SIGINT)

    assert status == 0
    assert len(agent.rows("socket")) == 1
    writer.close()
