"""``opentelemetry-instrument`` finds hopwatch by its entry point, and an instrumentor can be undone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path

import hopwatch
import pytest
import zmq
from hopwatch.sockets.hooks import HookedSocket
from hopwatch_otel import HopwatchInstrumentor
from journal_reader import Journal

PROGRAM = """
import zmq
context = zmq.Context()
push, pull = context.socket(zmq.PUSH), context.socket(zmq.PULL)
pull.connect(f"tcp://127.0.0.1:{push.bind_to_random_port('tcp://127.0.0.1')}")
push.send(b"x")
assert pull.recv_multipart() == [b"x"]
context.destroy()
"""


@pytest.fixture
def instrumentor() -> Iterator[HopwatchInstrumentor]:
    instrumentor = HopwatchInstrumentor()
    yield instrumentor
    if instrumentor.is_instrumented_by_opentelemetry:
        instrumentor.uninstrument()


def test_the_entry_point_names_the_instrumentor() -> None:
    (point,) = entry_points(group="opentelemetry_instrumentor", name="hopwatch")
    assert point.load() is HopwatchInstrumentor


def test_instrument_and_uninstrument_are_install_and_uninstall(
    instrumentor: HopwatchInstrumentor, context: zmq.Context, journal: Journal
) -> None:
    hopwatch.uninstall()  # puts back what closed sockets of other tests had needed
    bare = zmq.Socket.__init__
    instrumentor.instrument(sequence="stamp", tracer_provider=None)
    socket = context.socket(zmq.PUSH)
    assert isinstance(socket, HookedSocket)
    socket.bind("tcp://127.0.0.1:0")
    assert [event["sequence"] for event in journal.events("opened")] == ["stamp"]
    instrumentor.uninstrument()
    assert type(socket) is zmq.Socket
    assert zmq.Socket.__init__ is bare


def test_arguments_that_cannot_be_used_are_refused(instrumentor: HopwatchInstrumentor) -> None:
    with pytest.raises(hopwatch.UsageError):
        instrumentor.instrument(sequence="stmp")
    assert not instrumentor.is_instrumented_by_opentelemetry


@pytest.mark.parametrize("disabled", ["", "hopwatch"])
def test_opentelemetry_instrument_wraps_a_programs_sockets(
    tmp_path: Path, journal: Journal, disabled: str
) -> None:
    program = tmp_path / "app.py"
    program.write_text(PROGRAM)
    command = Path(sys.executable).with_name("opentelemetry-instrument")
    environment = {
        **os.environ,
        "OTEL_TRACES_EXPORTER": "none",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_LOGS_EXPORTER": "none",
        "OTEL_PYTHON_DISABLED_INSTRUMENTATIONS": disabled,
    }
    ended = subprocess.run(
        [str(command), sys.executable, str(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    if disabled:
        assert not journal.directory.exists()
    else:
        received = [event["counters"]["received"] for event in journal.events("closed")]
        assert sorted(received) == [0, 1]
