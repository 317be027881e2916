"""The link to Spark's Java process is left in silence, whatever was still to be sent over it."""

import logging
import socket
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from hopwatch_analysis.spark import gateway
from py4j.clientserver import FinalizerWorker, JavaClient, JavaParameters, PythonParameters
from py4j.java_gateway import GatewayProperty, PythonProxyPool

ANSWER = b"!yv\n"  # "done", as Java says it
OBJECTS = 2000
DEADLINE = 10


@dataclass
class Java:
    """What a server knows that takes commands from one client, until it is told to go in the midst of them."""

    port: int
    told_something: threading.Event = field(default_factory=threading.Event)
    goes: threading.Event = field(default_factory=threading.Event)


@contextmanager
def java() -> Iterator[Java]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(DEADLINE)
        about = Java(server.getsockname()[1])

        def serve() -> None:
            connection, _ = server.accept()
            connection.settimeout(DEADLINE)
            with connection, connection.makefile("rb") as commands:
                for line in commands:
                    if about.goes.is_set():
                        return
                    if line == b"e\n":
                        connection.sendall(ANSWER)
                        about.told_something.set()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield about
        about.goes.set()
    thread.join(DEADLINE)


@pytest.mark.timeout(60)
def test_a_java_process_that_ends_while_objects_are_let_go_makes_no_noise(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with java() as process:
        gone: deque[object] = deque()
        about = GatewayProperty(auto_field=False, pool=PythonProxyPool(), enable_memory_management=True)
        client = JavaClient(JavaParameters(port=process.port), PythonParameters(), about, gone)
        worker = FinalizerWorker(gone)
        worker.daemon = True
        worker.start()
        for number in range(OBJECTS):
            client.garbage_collect_object(f"o{number}")
        assert process.told_something.wait(DEADLINE)
        gateway.leave([threading.current_thread(), worker])
        process.goes.set()
        client.garbage_collect_object("o")  # of an object that goes later nobody is told
        worker.join(DEADLINE)
        assert not worker.is_alive()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
