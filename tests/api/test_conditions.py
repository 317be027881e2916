"""How each socket is doing, in a word that page, terminal and programs share, and who is at the other end of a connection."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopwatch
import httpx
import plain_http
import pytest
import zmq
from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter
from lively_sockets import lively_sockets

SENDER = "00000000000000a1"
RECEIVER = "00000000000000b2"
ROUTER = "00000000000000c3"
BEFORE = {"onsets": 1, "lost": 2, "unroutable": 3}


def opened_long_ago(writer: JournalWriter, socket: str, slot: int, kind: str, **counts: int) -> None:
    """Write that a socket was opened a minute ago, and has counted so much before it is shown first."""
    about = {"name": kind, "type": kind, "slot": [0, slot], "sequence": "stamp"}
    writer.set_counters(socket, slot, **counts)
    writer.event(
        "opened",
        t=time.time_ns() - 60 * 10**9,
        socket=socket,
        **about,
        probed=False,
        proxy=None,
        options={},
    )


@pytest.fixture(scope="module")
def writer(agent: AgentProcess) -> Iterator[JournalWriter]:
    """Sockets that were opened a minute ago, and have lost something before they are shown first."""
    writer = JournalWriter(agent.journal)
    for slot, (socket, kind) in enumerate({SENDER: "PUB", RECEIVER: "SUB", ROUTER: "ROUTER"}.items()):
        opened_long_ago(writer, socket, slot, kind, **BEFORE)
    eventually(lambda: len(agent.get("/v1/sockets")) == 3)
    yield writer
    writer.close()


@pytest.fixture
def journal(agent: AgentProcess, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPWATCH_DIR", str(agent.journal))
    return agent.journal


def socket_of(agent: AgentProcess, identity: str) -> Any:
    return next((s for s in agent.get("/v1/sockets") if s["id"] == identity), {"state": "unknown"})


def socket_named(agent: AgentProcess, name: str) -> Any:
    return next((s for s in agent.get("/v1/sockets") if s["name"] == name), None)


def told(agent: AgentProcess, identity: str, state: str) -> str:
    """Why the socket is in this state, once it is."""
    found = eventually(lambda: (s := socket_of(agent, identity)) and s["state"] == state and s)
    return str(found["state_text"])


def test_what_was_lost_before_an_agent_looks_is_not_told_as_lost_just_now(
    agent: AgentProcess, writer: JournalWriter
) -> None:
    assert {(s["state"], s["state_text"]) for s in agent.get("/v1/sockets")} == {("quiet", "")}


@pytest.mark.parametrize(
    ("socket", "slot", "counts", "text"),
    [
        (RECEIVER, 1, {"lost": 1_202}, "in the last 10 s: 1,200 messages lost"),
        (SENDER, 0, {"onsets": 2}, "in the last 10 s: met a full pipe once"),
        (
            ROUTER,
            2,
            {"unroutable": 8},
            "in the last 10 s: 5 messages swallowed: it has no such peer",
        ),
    ],
)
def test_a_socket_that_lost_something_just_now_is_losing(
    agent: AgentProcess, writer: JournalWriter, socket: str, slot: int, counts: dict[str, int], text: str
) -> None:
    writer.set_counters(socket, slot, **{**BEFORE, **counts})
    assert told(agent, socket, "losing") == text


def test_a_socket_loses_from_its_first_second_on(agent: AgentProcess, writer: JournalWriter) -> None:
    fresh = "00000000000000d4"
    writer.opened(fresh, slot=3, kind="SUB")
    writer.set_counters(fresh, 3, lost=7)
    assert told(agent, fresh, "losing") == "in the last 10 s: 7 messages lost"


@pytest.mark.extended("waits for ten seconds to pass")
def test_it_is_quiet_again_after_ten_seconds(agent: AgentProcess, writer: JournalWriter) -> None:
    writer.set_counters(RECEIVER, 1, **{**BEFORE, "lost": 2_000})
    told(agent, RECEIVER, "losing")
    assert told(agent, RECEIVER, "quiet") == ""


def test_a_message_that_came_late_after_all_is_no_loss(agent: AgentProcess, writer: JournalWriter) -> None:
    late = "00000000000000e5"
    opened_long_ago(writer, late, 4, "SUB", lost=2_000)
    told(agent, late, "quiet")
    writer.set_counters(late, 4, lost=1_000, reordered=1)
    eventually(lambda: socket_of(agent, late)["counters"]["lost"] == 1_000)
    assert socket_of(agent, late)["state"] == "quiet"


def test_a_sender_that_is_refused_is_pressed_and_so_is_who_waits_for_room(
    agent: AgentProcess, journal: Path
) -> None:
    with zmq.Context() as context:
        refused = hopwatch.wrap(context.socket(zmq.PUSH), name="refused")
        waiting = hopwatch.wrap(context.socket(zmq.PUSH), name="waiting")
        waiting.sndtimeo = 200

        def try_to_send() -> dict[str, str]:
            with pytest.raises(zmq.Again):
                refused.send(b"x", zmq.DONTWAIT)
            with pytest.raises(zmq.Again):
                waiting.send(b"x")
            found = {s["name"]: s for s in agent.get("/v1/sockets")}
            both = [found.get(name, {}) for name in ("refused", "waiting")]
            return {s["name"]: s["state_text"] for s in both if s.get("state") == "pressed"}

        texts = eventually(lambda: len(texts := try_to_send()) == 2 and texts)
        hopwatch.unwrap(refused).close()
        hopwatch.unwrap(waiting).close()
    assert "refused (EAGAIN)" in texts["refused"]
    assert any(words in texts["waiting"] for words in ("waited for room in", "waiting in the application"))


def test_a_send_that_does_not_come_back_presses_its_socket_for_as_long_as_it_waits(
    agent: AgentProcess, journal: Path
) -> None:
    with zmq.Context() as context:
        alone = hopwatch.wrap(context.socket(zmq.PUSH), name="alone")
        port = alone.bind_to_random_port("tcp://127.0.0.1")
        sending = threading.Thread(target=alone.send, args=(b"to whoever comes",))
        sending.start()

        def state_of_alone() -> Any:
            found = socket_named(agent, "alone")
            return found and (found["state"], found["state_text"], found["counters"]["pending_sends"])

        waits = ("pressed", "1 send waiting in the application, for room or for a peer", 1)
        eventually(lambda: state_of_alone() == waits)
        with context.socket(zmq.PULL) as pull:
            pull.connect(f"tcp://127.0.0.1:{port}")
            assert pull.recv() == b"to whoever comes"
            sending.join(20)
            eventually(lambda: state_of_alone()[2] == 0)
        hopwatch.unwrap(alone).close()


def test_what_a_router_refuses_because_its_application_asked_for_that_is_no_loss(
    agent: AgentProcess, journal: Path
) -> None:
    with zmq.Context() as context:
        service = hopwatch.wrap(context.socket(zmq.ROUTER), name="mandatory")
        service.router_mandatory = 1
        with pytest.raises(zmq.ZMQError):
            service.send_multipart([b"nobody", b"x"])
        service.bind("inproc://mandatory")
        found = eventually(lambda: (s := socket_named(agent, "mandatory")) and s["endpoints"] and s)
        assert (found["counters"]["unroutable"], found["state"]) == (0, "quiet")
        hopwatch.unwrap(service).close()


def test_messages_that_wait_for_long_press_their_sender(agent: AgentProcess) -> None:
    with lively_sockets(agent.journal):
        source = eventually(lambda: pressed_source(agent))
        assert "50 or more of its messages wait, the oldest for" in source["state_text"]
    told(agent, source["id"], "closed")


def pressed_source(agent: AgentProcess) -> Any:
    return next(
        (s for s in agent.get("/v1/sockets") if (s["name"], s["state"]) == ("source", "pressed")), None
    )


def test_the_ends_of_a_connection_over_tcp_know_each_other(agent: AgentProcess) -> None:
    with lively_sockets(agent.journal):

        def peers() -> dict[str, str]:
            up = [c for c in agent.get("/v1/connections") if c["state"] == "ready"]
            return {c["socket_name"]: c["peer_name"] for c in up}

        eventually(lambda: peers() == {"source": "sink", "sink": "source"})


def test_the_end_at_an_ipc_path_is_named_where_only_one_can_be_meant(
    agent: AgentProcess, journal: Path, tmp_path: Path
) -> None:
    with zmq.Context() as context:
        server = hopwatch.wrap(context.socket(zmq.PULL), name="server")
        clients = [hopwatch.wrap(context.socket(zmq.PUSH), name=f"client-{n}") for n in range(2)]
        server.bind(f"ipc://{tmp_path}/it")

        def peers() -> dict[str, set[str | None]]:
            named: dict[str, set[str | None]] = {}
            for connection in agent.get("/v1/connections"):
                if connection["endpoint"].startswith("ipc:") and connection["state"] == "ready":
                    named.setdefault(connection["socket_name"], set()).add(connection["peer_name"])
            return named

        clients[0].connect(f"ipc://{tmp_path}/it")
        eventually(lambda: peers() == {"server": {"client-0"}, "client-0": {"server"}})
        clients[1].connect(f"ipc://{tmp_path}/it")
        eventually(lambda: peers() == {"server": {None}, "client-0": {None}, "client-1": {None}})
        for socket in (server, *clients):
            hopwatch.unwrap(socket).close(linger=0)


def test_who_watches_is_told_of_states_revisions_and_backlog(agent: AgentProcess) -> None:
    def frame(query: str) -> Any:
        with plain_http.stream("GET", f"{agent.url}/v1/live{query}", timeout=60) as answer:
            line = next(line for line in answer.iter_lines() if line.startswith("data: "))
            return httpx.Response(200, text=line.removeprefix("data: ")).json()

    before = frame("?sockets=0")["revisions"]
    with lively_sockets(agent.journal):
        eventually(lambda: pressed_source(agent))
        told_now = frame("?sockets=2000")
        assert told_now["states"]["pressed"] == 1
        source = next(s for s in told_now["sockets"] if s["name"] == "source" and s["state"] == "pressed")
        assert (source["counters"]["sent"], source["backlog_sent"]["at_least"]) == (1050, 50)
        assert told_now["revisions"]["sockets"] > before["sockets"]
        assert told_now["revisions"]["connections"] > before["connections"]

        def all_are_left_out() -> bool:
            none, every = frame("?sockets=0"), frame("?sockets=2000")
            return (none["sockets"], none["sockets_left_out"]) == ([], len(every["sockets"]))

        eventually(all_are_left_out)  # between the two a socket may come to rest
    assert plain_http.get(f"{agent.url}/v1/live?sockets=2001").status_code == 422
