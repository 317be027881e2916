"""Landing in a real S3 server: what goes wrong there is told in words, and everything lands exactly once."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from agent_process import AgentProcess, WriterProcess, eventually, landed
from hopwatch_agent.landing.lander import Lander
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.merger import Merger, MergeRule
from object_store import KEY, SECRET, ObjectStore

SOCKET = "00000000000000a1"
WRONG = "wr0ng"
BUCKET = "journals"
Writing = Callable[..., WriterProcess]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    store = ObjectStore(tmp_path_factory.mktemp("object-store"))
    store.start()
    store.make_bucket(BUCKET)
    yield store
    store.kill()


@pytest.fixture
def place(store: ObjectStore, request: pytest.FixtureRequest) -> str:
    """A folder of its own, in a bucket that is there."""
    return f"{BUCKET}/{abs(hash(request.node.name)):x}"


def write_onsets(bench: Any, count: int) -> None:
    writer = bench.writer()
    for number in range(count):
        writer.event("onset", socket=SOCKET, number=number, lane=0, lane_number=number)
    bench.tick()


def land(bench: Any, uri: str) -> str | None:
    """The failure's text."""
    error = Lander(bench.batches, Landing(uri)).run_once(lambda _rows: None)
    return None if error is None else str(error)


def onsets(store: ObjectStore, place: str, folder: Path) -> list[int]:
    return sorted(row["number"] for row in landed(store.copy(place, folder), "onset"))


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        listener.settimeout(20)
        yield listener


def endpoint(listener: socket.socket) -> str:
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_batches_are_objects_of_the_same_names_and_contents_as_files(
    bench: Any, store: ObjectStore, place: str, tmp_path: Path
) -> None:
    write_onsets(bench, 30)
    assert land(bench, store.uri(place)) is None
    copy = store.copy(place, tmp_path / "copy")
    assert sorted(row["number"] for row in landed(copy, "onset")) == list(range(30))
    (name,) = (path.name for path in copy.glob("kind=onset/date=*/host=web-1/*.parquet"))
    assert name.startswith(f"{bench.batches.database}-")


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"])
def test_credentials_endpoint_and_region_may_come_from_the_environment(
    bench: Any,
    store: ObjectStore,
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        variable: f"http://{store.endpoint}",
    }.items():
        monkeypatch.setenv(name, value)
    write_onsets(bench, 3)
    assert land(bench, f"s3://{place}") is None
    assert onsets(store, place, tmp_path / "copy") == [0, 1, 2]


def test_what_a_place_refuses_is_told_in_words_and_lands_when_it_is_mended(
    bench: Any, store: ObjectStore, tmp_path: Path
) -> None:
    write_onsets(bench, 20)
    missing = land(bench, store.uri("made-later/events"))
    assert "access is denied" in str(missing)
    assert "there is no such bucket" in str(missing)
    store.make_bucket("made-later")
    wrong_secret = land(bench, store.uri("made-later/events", WRONG))
    assert "the secret key is wrong" in str(wrong_secret)
    wrong_key = land(bench, store.uri("made-later/events").replace(f"{KEY}:", "nobody:"))
    assert "the access key is not known there" in str(wrong_key)
    unresolved = land(bench, store.uri("made-later/events", endpoint="nowhere.invalid:80"))
    assert "the host's name cannot be resolved" in str(unresolved)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        refused = land(bench, store.uri("made-later/events", endpoint=f"127.0.0.1:{unused.getsockname()[1]}"))
    assert "nothing listens there" in str(refused)
    for text in (missing, wrong_secret, wrong_key, unresolved, refused):
        assert "s3://made-later/events" in str(text)
        for secret in (SECRET, quote(SECRET, safe=""), WRONG):
            assert secret not in str(text)
    assert land(bench, store.uri("made-later/events")) is None
    assert onsets(store, "made-later/events", tmp_path / "copy") == list(range(20))


def test_small_objects_become_one_and_their_parts_go(
    bench: Any, store: ObjectStore, place: str, tmp_path: Path
) -> None:
    landing = Landing(store.uri(place))
    lander = Lander(bench.batches, landing)
    merger = Merger(bench.batches, landing, MergeRule(seconds=0.001, size=10_000_000))
    for _ in range(3):
        write_onsets(bench, 5)
        assert lander.run_once(lambda _rows: None) is None
    for _ in range(10):
        assert merger.run_once() is None
    copy = store.copy(place, tmp_path / "copy")
    assert len(list(copy.glob("kind=onset/date=*/host=*/*.parquet"))) == 1
    assert sorted(row["number"] for row in landed(copy, "onset")) == sorted([*range(5)] * 3)


def test_a_write_that_breaks_off_leaves_no_object(
    bench: Any, store: ObjectStore, place: str, tmp_path: Path
) -> None:
    write_onsets(bench, 20)

    class Breaking(Landing):
        def write(self, batch: Any, name: str, rows: Any) -> int:
            def broken() -> Iterator[Any]:
                yield from list(rows)[:10]
                raise KeyError("half-way")

            return super().write(batch, name, broken())

    error = Lander(bench.batches, Breaking(store.uri(place))).run_once(lambda _rows: None)
    assert "half-way" in str(error)
    assert list(store.copy(place, tmp_path / "copy").rglob("*.parquet")) == []
    assert land(bench, store.uri(place)) is None
    assert onsets(store, place, tmp_path / "copy") == list(range(20))


class Relay:
    """Passes on what the server is sent, and its answers once it is told to: until then, nobody knows what arrived."""

    def __init__(self, target: str) -> None:
        self._target = target.split(":")
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self._open = [self._listener]
        self._threads: list[threading.Thread] = []
        self.endpoint = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.answering = threading.Event()
        self.held = threading.Event()
        self._run(self._accept)

    def close(self) -> None:
        for each in self._open:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for each in self._open:
            each.close()

    def _run(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = threading.Thread(target=work, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection((self._target[0], int(self._target[1])))
                self._open += [client, server]
                self._run(self._send, client, server)
                self._run(self._answer, server, client)

    @staticmethod
    def _send(client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(65536):
                server.sendall(data)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if data.startswith(b"HTTP/1.1 200") and not self.answering.is_set():
                    self.held.set()
                    return
                client.sendall(data)


@pytest.fixture
def relay(store: ObjectStore) -> Iterator[Relay]:
    relay = Relay(store.endpoint)
    yield relay
    relay.close()


def test_an_agent_killed_in_the_middle_of_an_upload_writes_the_same_objects_again(
    agent: AgentProcess, writing: Writing, store: ObjectStore, relay: Relay, place: str, tmp_path: Path
) -> None:
    agent.land_at(store.uri(place, endpoint=relay.endpoint))
    agent.start()
    writer = writing()
    # the object is in its place, and the agent does not know it
    eventually(relay.held.is_set)
    agent.kill()
    before = store.copy(place, tmp_path / "before")
    assert list(before.rglob("*.parquet"))
    relay.answering.set()
    agent.start()
    written = writer.end()
    assert agent.terminate()[0] == 0
    assert onsets(store, place, tmp_path / "copy") == list(range(written))


@pytest.mark.extended("waits for a server that does not answer")
def test_a_server_that_does_not_answer_is_left_after_some_seconds(
    bench: Any, store: ObjectStore, silent: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopwatch_agent.landing.place.SILENCE_SECONDS", 1.0)
    write_onsets(bench, 1)
    assert "it does not answer" in str(land(bench, store.uri("anywhere/events", endpoint=endpoint(silent))))


@pytest.mark.extended("waits for a server that hangs")
def test_a_server_that_hangs_blocks_neither_the_agent_nor_its_end(
    agent: AgentProcess,
    writing: Writing,
    store: ObjectStore,
    silent: socket.socket,
    place: str,
    tmp_path: Path,
) -> None:
    agent.land_at(store.uri(place, endpoint=endpoint(silent)))
    agent.start("--stop-seconds", "5")
    writer = writing()
    connection, _ = silent.accept()
    eventually(lambda: agent.get("/v1/sockets"))
    # it reads on while it waits for the answer
    waiting = agent.get("/v1/status")["rows_waiting"]
    eventually(lambda: agent.get("/v1/status")["rows_waiting"] > waiting + 100)
    written = writer.end()
    status, said = agent.terminate()
    connection.close()
    assert (status, "not everything could be landed" in said) == (1, True)
    assert quote(SECRET, safe="") not in said
    agent.land_at(store.uri(place))
    agent.start()
    assert agent.terminate()[0] == 0
    assert onsets(store, place, tmp_path / "copy") == list(range(written))


def test_a_server_that_is_killed_and_comes_back_gets_everything_once(
    agent: AgentProcess, writing: Writing, store: ObjectStore, place: str, tmp_path: Path
) -> None:
    agent.land_at(store.uri(place))
    agent.start()
    writer = writing()
    eventually(lambda: agent.get("/v1/status")["rows_landed"] > 0)
    store.kill()
    (error,) = eventually(lambda: agent.get("/v1/status")["errors"])
    assert error["source"] == "landing"
    waiting = agent.get("/v1/status")["rows_waiting"]
    eventually(lambda: agent.get("/v1/status")["rows_waiting"] > waiting)
    store.start()
    eventually(lambda: agent.get("/v1/status")["errors"] == [], 90)
    written = writer.end()
    assert agent.terminate()[0] == 0
    assert onsets(store, place, tmp_path / "copy") == list(range(written))
