"""What a request has to get past before it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwatch_agent.settings.sections import AccessSettings

from hopwatch_api.hosts import Hosts
from hopwatch_api.listening import address_of
from hopwatch_api.tokens import Token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Asked by whoever keeps the agent running. They say whether it works, and nothing more."""
METRICS_PATH = "/metrics"
CERTIFICATE = "hopwatch.client_certificate"
"""In the scope of a request: whether the client has shown a certificate that holds."""
REQUESTS_AT_ONCE = 64

Refusal = tuple[int, str, Iterable[tuple[bytes, bytes]]]
"""Status, text, and further headers."""

_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


@dataclass(frozen=True)
class Demands:
    """What is asked of a client beside a token: a certificate, or to be on this host; and whether nothing is for metrics."""

    certificate: bool = False
    this_host: bool = False
    open_metrics: bool = False


def demands_of(access: AccessSettings) -> Demands:
    """What the settings come to."""
    return Demands(
        certificate=bool(access.tls and access.tls.client_ca),
        this_host=access.for_this_host_alone,
        open_metrics=access.open_to_others == "metrics",
    )


class Guard:
    """Lets requests through to the application: for this agent, by who may ask, and not too many at once."""

    def __init__(
        self, app: ASGIApp, hosts: Hosts, token: Token | None = None, demands: Demands | None = None
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token
        self._demands = demands or Demands()
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

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = dict(scope["headers"])
        if not self._hosts.holds(headers.get(b"host")):
            return 421, "this agent does not go by the name in the Host header: see allowed_hosts", ()
        if not (self._demands.open_metrics and scope["path"] == METRICS_PATH):
            unproven = self._unproven(scope, headers.get(b"authorization"))
            if unproven is not None:
                return unproven
        if self._open >= REQUESTS_AT_ONCE:
            return 503, "too many requests at once", [(b"retry-after", b"1")]
        return None

    def _unproven(self, scope: Scope, authorization: bytes | None) -> Refusal | None:
        if self._demands.certificate and not scope.get(CERTIFICATE):
            return 403, "a client certificate is needed", ()
        if self._demands.this_host and not _is_on_this_host(scope):
            return 403, "other hosts are not answered: this agent asks for no token", ()
        if self._token is not None:
            self._token.refresh()
            if not self._token.shown_in(authorization):
                challenge = (b"www-authenticate", b'Bearer realm="hopwatch agent"')
                return 401, "a token is needed: Authorization: Bearer ...", [challenge]
        return None


def _is_on_this_host(scope: Scope) -> bool:
    """By both addresses of the connection: proxies of a service mesh call a pod's own address from its loopback, for whoever asks them."""
    ends = (scope.get("client"), scope.get("server"))
    return all(end is not None and address_of(end[0]).is_loopback for end in ends)


async def _refuse(send: Send, status: int, text: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    body = json.dumps({"error": text}).encode()
    length = (b"content-length", str(len(body)).encode())
    start = [(b"content-type", b"application/json"), length, *headers]
    await send({"type": "http.response.start", "status": status, "headers": start})
    await send({"type": "http.response.body", "body": body})
