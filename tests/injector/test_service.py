"""The webhook as a service: what it does while many ask at once, and when it is told to stop."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest
from hopwatch_injector import app
from hopwatch_injector.fragment import Fragment, read_fragment
from pods import KINDS

from tests.injector.conftest import TO_BE_ADDED, injector_adding, write


def test_it_answers_for_a_while_after_it_was_told_to_stop(tmp_path: Path) -> None:
    with injector_adding(tmp_path, TO_BE_ADDED, "--linger", "3") as injector:
        assert "patch" in injector.review(KINDS["bare"].pod)
        injector.process.send_signal(signal.SIGTERM)
        injector.await_log("stopping")
        with httpx.Client(base_url=injector.client.base_url, verify=injector.trusting) as another:
            assert another.get("/healthz").text == "ok"
        assert "patch" in injector.review(KINDS["bare"].pod)
        assert injector.process.wait(timeout=20) == 0


def test_so_many_reviews_are_read_at_a_time_and_the_others_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "AT_ONCE", 2)
    fragment = read_fragment(write(tmp_path, TO_BE_ADDED))
    asyncio.run(_four_reviews_whose_bodies_are_held(fragment))


async def _four_reviews_whose_bodies_are_held(fragment: Fragment) -> None:
    reading, go_on = 0, asyncio.Event()

    async def body() -> object:
        nonlocal reading
        reading += 1
        await go_on.wait()
        yield b"{"

    transport = httpx.ASGITransport(app.create_app(fragment))
    async with httpx.AsyncClient(transport=transport, base_url="http://injector") as client:
        asked = [asyncio.create_task(client.post("/pods/by-annotation", content=body())) for _ in range(4)]
        assert (await client.get("/healthz")).text == "ok"
        while reading < 2:
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0)
        assert reading == 2
        go_on.set()
        assert {(await one).status_code for one in asked} == {400}
        assert reading == 4
