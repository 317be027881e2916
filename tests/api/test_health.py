"""Health of an agent whose loop has ended, or has not begun."""

import httpx
import pytest
from hopwatch_api import create_app


class Ended:
    """An agent's state whose loop has ended."""

    def failure(self) -> str | None:
        return "the loop has ended"

    def not_ready(self) -> str | None:
        return "the loop has ended"

    def status(self) -> object:
        raise NotImplementedError

    sockets = connections = lanes = status

    def socket(self, identity: str, /) -> object | None:
        raise NotImplementedError

    def events(self, after: int, limit: int) -> list[object]:
        raise NotImplementedError


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_an_ended_loop_is_told_with_503(path: str) -> None:
    import asyncio

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(Ended()))
        async with httpx.AsyncClient(transport=transport, base_url="http://agent") as client:
            return await client.get(path)

    answer = asyncio.run(ask())
    assert answer.status_code == 503
    assert answer.json() == {"ok": False, "reason": "the loop has ended"}
