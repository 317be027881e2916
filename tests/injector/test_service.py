"""The webhook as a service: what it does while many ask at once, and when it is told to stop."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from hopwatch_injector import body
from hopwatch_injector.app import create_app
from hopwatch_injector.fragment import Fragment, read_fragment
from pods import KINDS
from preloaded import HOPWATCH, run_to_end

from tests.injector.conftest import TO_BE_ADDED, Injector, injector_adding, write


def test_it_answers_for_a_while_after_it_was_told_to_stop_and_has_clients_look_for_another_one(
    tmp_path: Path,
) -> None:
    with injector_adding(tmp_path, TO_BE_ADDED, "--linger", "20") as injector:
        assert "patch" in injector.review(KINDS["bare"].pod)
        assert injector.client.get("/healthz").headers.get("connection") != "close"
        injector.process.send_signal(signal.SIGTERM)
        injector.await_log("stopping")
        assert injector.client.get("/healthz").headers["connection"] == "close"
        with httpx.Client(base_url=injector.client.base_url, verify=injector.trusting) as another:
            assert another.get("/healthz").text == "ok"
        assert "patch" in injector.review(KINDS["bare"].pod)
        assert injector.process.wait(timeout=120) == 0


def test_bodies_that_do_not_come_hold_up_nobody_and_are_refused(injector: Injector) -> None:
    url = injector.client.base_url
    head = "POST /pods/by-annotation HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
    with ExitStack() as stack:
        stalled = []
        for _ in range(50):
            plain = stack.enter_context(socket.create_connection((url.host, url.port)))
            stalled.append(
                stack.enter_context(injector.trusting.wrap_socket(plain, server_hostname=url.host))
            )
            stalled[-1].sendall(head.encode())
        assert "patch" in injector.review(KINDS["bare"].pod)
        for one in stalled:
            one.settimeout(60)
            assert one.recv(4096).startswith(b"HTTP/1.1 408")


def test_so_many_large_reviews_are_read_at_a_time_and_the_others_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(body, "LARGE_AT_ONCE", 2)
    monkeypatch.setattr(body, "SECONDS", 20)
    asyncio.run(_four_reviews_whose_rest_is_held(read_fragment(write(tmp_path, TO_BE_ADDED))))


async def _four_reviews_whose_rest_is_held(fragment: Fragment) -> None:
    begun, go_on = 0, asyncio.Event()

    async def large() -> AsyncIterator[bytes]:
        nonlocal begun
        yield b" " * (body.SMALL_BYTES + 1)
        begun += 1
        await go_on.wait()
        yield b"{"

    transport = httpx.ASGITransport(create_app(fragment))
    async with httpx.AsyncClient(transport=transport, base_url="http://injector") as client:
        asked = [asyncio.create_task(client.post("/pods/by-annotation", content=large())) for _ in range(4)]
        while begun < 2:
            await asyncio.sleep(0)
        assert (await client.post("/pods/by-annotation", content=b"{")).status_code == 400
        assert begun == 2
        go_on.set()
        assert {(await one).status_code for one in asked} == {400}
        assert begun == 4


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HOPWATCH_AGENT_KEEP_BYTE", "1", "HOPWATCH_AGENT_KEEP_BYTE"),
        ("HOPWATCH_AGENT_LAND", "s3a://events", "cannot land at s3a://events: the scheme is not known"),
        ("HOPWATCH_AGENT_LISTEN", "nonsense here:8735x", "it must be HOST:PORT"),
    ],
)
def test_an_agent_that_would_not_start_is_put_into_no_pod(
    tmp_path: Path, variable: str, value: str, said: str
) -> None:
    preparing, agent = TO_BE_ADDED["initContainers"]
    spoilt = agent | {"env": [*agent["env"], {"name": variable, "value": value}]}
    file = write(tmp_path, TO_BE_ADDED | {"initContainers": [preparing, spoilt]})
    done = run_to_end([HOPWATCH, "injector", "--fragment", file])
    assert done.returncode == 2
    assert "hopwatch-agent would not start: " in done.stderr
    assert said in done.stderr


def test_its_log_tells_of_each_pod_that_it_changes_leaves_or_refuses(tmp_path: Path) -> None:
    with injector_adding(tmp_path, TO_BE_ADDED) as injector:
        injector.review(KINDS["bare"].pod)
        injector.await_log('"injected"')
        injector.await_log("trading/feed-*")
        injector.review(KINDS["of a Deployment"].pod)
        injector.await_log("Deployment/quotes")
        injector.review(KINDS["for another architecture"].pod)
        injector.await_log("the pod asks for nodes of arm64")
        injector.client.post("/pods/by-annotation", content=b"{")
        injector.await_log("no AdmissionReview")


def test_a_certificate_is_taken_up_when_it_is_renewed_and_a_bad_one_is_told(tmp_path: Path) -> None:
    with injector_adding(tmp_path, TO_BE_ADDED) as injector:
        key = tmp_path / "injector.key"
        good = key.read_bytes()
        key.write_text("garbage")
        injector.await_log("certificate_unusable")
        with httpx.Client(base_url=injector.client.base_url, verify=injector.trusting) as another:
            assert another.get("/healthz").text == "ok"
        key.write_bytes(good)
        injector.await_log("certificate_renewed")
