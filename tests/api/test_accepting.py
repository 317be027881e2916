"""Connections before anything is asked: those that do not agree on TLS are few at a time, and not for long, and honest clients get through."""

import asyncio
import os
import resource
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from agent_process import AgentProcess
from certificates import Authority
from hopwatch_api import accepting, protocol
from served import Client, Served, closed, serving, tls
from starlette.responses import PlainTextResponse

SMALL = PlainTextResponse("small")
OF_THE_AGENT = 16
"""Descriptors that it may open for itself meanwhile."""


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[AgentProcess, Authority]]:
    """An agent that serves by TLS, and the authority that vouches for it."""
    authority = Authority(tmp_path)
    made = authority.certificate("agent")
    others = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    tls = {"HOPWATCH_AGENT_TLS_CERT": str(made.cert), "HOPWATCH_AGENT_TLS_KEY": str(made.key)}
    agent = AgentProcess(tmp_path, {**others, **tls}, "--log-level", "warning")
    agent.start()
    yield agent, authority
    agent.kill()


def descriptors(agent: AgentProcess) -> int:
    assert agent.process is not None
    return len(list(Path(f"/proc/{agent.process.pid}/fd").iterdir()))


def test_more_silent_connections_than_there_are_places_keep_no_client_out(
    guarded: tuple[AgentProcess, Authority],
) -> None:
    agent, authority = guarded
    verified = ssl.create_default_context(cafile=str(authority.cert))
    host, port = agent.url.removeprefix("https://").split(":")
    before = descriptors(agent)
    with ExitStack() as silent:
        for _ in range(protocol.CONNECTIONS + 300):
            silent.enter_context(socket.create_connection((host, int(port))))
        assert httpx.get(f"{agent.url}/healthz", verify=verified).status_code == 200
        assert descriptors(agent) <= before + protocol.CONNECTIONS + OF_THE_AGENT


def test_who_comes_while_there_are_no_descriptors_is_answered_when_there_are(
    guarded: tuple[AgentProcess, Authority],
) -> None:
    agent, authority = guarded
    process = agent.process
    assert process is not None
    assert process.stderr is not None
    host, port = agent.url.removeprefix("https://").split(":")
    _, hard = before = resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (3, hard))
    verified = ssl.create_default_context(cafile=str(authority.cert))
    with socket.create_connection((host, int(port)), timeout=60) as plain:
        while "cannot_accept" not in (line := process.stderr.readline()):
            assert line, "it has ended"
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, before)
        with verified.wrap_socket(plain, server_hostname=host) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(12) == b"HTTP/1.1 200"


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for five connections, two of them always for handshakes, and much time for each."""
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 60)
    monkeypatch.setattr(protocol, "CONNECTIONS", 5)
    monkeypatch.setattr(accepting, "HANDSHAKE_SECONDS", 60)
    monkeypatch.setattr(accepting, "LEAST_HANDSHAKES", 2)


async def asked(served: Served) -> bytes:
    """What an honest client gets."""
    client = await served.client()
    client[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return await closed(client)


def leave(clients: list[Client]) -> None:
    for _, writer in clients:
        writer.close()


@pytest.mark.usefixtures("patient")
def test_the_handshake_that_has_taken_longest_gives_way(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(SMALL, tls=tls(tmp_path)) as served:
            silent = [await served.silent() for _ in range(8)]
            for client in silent[:3]:
                assert await closed(client) == b""
            assert not any(client[0].at_eof() for client in silent[3:])
            assert (await asked(served)).endswith(b"small")
            assert await closed(silent[3]) == b""
            leave(silent)

    asyncio.run(run())


@pytest.mark.usefixtures("patient")
def test_where_all_places_are_taken_a_few_may_still_agree_on_tls(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(SMALL, tls=tls(tmp_path)) as served:
            idle = [await served.client() for _ in range(5)]
            silent = [await served.silent() for _ in range(8)]
            assert (await asked(served)).endswith(b"small")
            # who is served already gives way to one who is, too, and not to a mere connection
            assert await closed(idle[0]) == b""
            assert not any(client[0].at_eof() for client in idle[1:])
            leave([*idle, *silent])

    asyncio.run(run())


def test_a_handshake_that_does_not_go_on_is_cut_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(accepting, "HANDSHAKE_SECONDS", 0.3)

    async def run() -> None:
        async with serving(SMALL, tls=tls(tmp_path)) as served:
            silent, halting = await served.silent(), await served.silent()
            halting[1].write(b"\x16\x03\x01")  # the beginning of a hello
            assert await closed(silent) == b""
            assert await closed(halting) == b""
            monkeypatch.setattr(accepting, "HANDSHAKE_SECONDS", 60)
            assert (await asked(served)).endswith(b"small")

    asyncio.run(run())


def test_what_is_no_handshake_is_cut_off_and_the_server_goes_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with serving(SMALL, tls=tls(tmp_path)) as served:
            plain, gone = await served.silent(), await served.silent()
            plain[1].write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            gone[1].transport.abort()
            await closed(plain)
            assert (await asked(served)).endswith(b"small")

    asyncio.run(run())


def test_a_server_that_can_accept_nobody_any_more_ends_so_that_another_is_begun(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(_: accepting.Acceptor, client: socket.socket) -> None:
        client.close()
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(accepting.Acceptor, "_begin", fails)

    async def story() -> None:
        async with serving(SMALL) as served:
            client = await served.silent()
            await served.ended()
            client[1].close()

    asyncio.run(story())
    assert "accepts_nobody" in caplog.messages
