"""What a request has to get past before it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hopwatch_api.hosts import Hosts
from hopwatch_api.tokens import Token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Asked by whoever keeps the agent running. They say whether it works, and nothing more."""
CERTIFICATE = "hopwatch.client_certificate"
"""In the scope of a request: whether the client has shown a certificate that holds."""
REQUESTS_AT_ONCE = 64

_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


class Guard:
    """Lets requests through to the application: for this agent, by who may ask, and not too many at once."""

    def __init__(
        self, app: ASGIApp, hosts: Hosts, token: Token | None = None, *, certificate: bool = False
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        self._certificate = certificate
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if scope["type"] != "http" or scope["path"] in OPEN_PATHS:
            await self._app(scope, receive, send_with_headers)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(send_with_headers, *refusal)
            return
        self._open += 1
        try:
            await self._app(scope, receive, send_with_headers)
        finally:
            self._open -= 1

    def _refusal(self, scope: Scope) -> tuple[int, str, Iterable[tuple[bytes, bytes]]] | None:
        headers = dict(scope["headers"])
        if not self._hosts.holds(headers.get(b"host")):
            return 421, "this agent does not go by the name in the Host header: see allowed_hosts", ()
        if self._certificate and not scope.get(CERTIFICATE):
            return 403, "a client certificate is needed", ()
        if self._token is not None:
            self._token.refresh()
            if not self._token.shown_in(headers.get(b"authorization")):
                challenge = (b"www-authenticate", b'Bearer realm="hopwatch agent"')
                return 401, "a token is needed: Authorization: Bearer ...", [challenge]
        if self._open >= REQUESTS_AT_ONCE:
            return 503, "too many requests at once", [(b"retry-after", b"1")]
        return None


async def _refuse(send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    body = json.dumps({"error": text}).encode()
    length = (b"content-length", str(len(body)).encode())
    start = [(b"content-type", b"application/json"), length, *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
