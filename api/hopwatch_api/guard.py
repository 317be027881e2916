"""What a request has to get past before it is answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwatch_agent.settings.sections import AccessSettings

from hopwatch_api.hosts import Hosts
from hopwatch_api.listening import address_of
from hopwatch_api.page.serving import is_of_the_page
from hopwatch_api.problems import (
    BUSY,
    CERTIFICATE_NEEDED,
    MEDIA_TYPE,
    OTHER_NAME,
    THIS_HOST_ALONE,
    TOKEN_NEEDED,
    Kind,
    problem_body,
)
from hopwatch_api.tokens import Token

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Asked by whoever keeps the agent running. They say whether it works, and nothing more."""
METRICS_PATH = "/metrics"
CERTIFICATE = "hopwatch.client_certificate"
"""In the scope of a request: whether the client has shown a certificate that holds."""
REQUESTS_AT_ONCE = 64

Refusal = tuple[Kind, str, Iterable[tuple[bytes, bytes]]]
"""Kind of problem, text, and further headers."""

_CACHING = b"cache-control"
_POLICY = b"content-security-policy"
_ANSWERS = (_POLICY, b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
_PAGE = (
    _POLICY,
    (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        b" base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
)
"""What a browser may do with the page: run its own files, ask this agent, and nothing else."""
_HEADERS = [
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
                message["headers"] = _with_ours(message.get("headers", ()), scope["path"])
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
            return OTHER_NAME, "this agent does not go by the name in the Host header: see allowed_hosts", ()
        if not (self._demands.open_metrics and scope["path"] == METRICS_PATH):
            unproven = self._unproven(scope, headers.get(b"authorization"))
            if unproven is not None:
                return unproven
        if self._open >= REQUESTS_AT_ONCE:
            return (
                BUSY,
                "too many requests are being answered: ask again in a second",
                [(b"retry-after", b"1")],
            )
        return None

    def _unproven(self, scope: Scope, authorization: bytes | None) -> Refusal | None:
        if self._demands.certificate and not scope.get(CERTIFICATE):
            return CERTIFICATE_NEEDED, "the connection has shown no client certificate that holds", ()
        if self._demands.this_host and not _is_on_this_host(scope):
            return THIS_HOST_ALONE, "this agent asks for no token, so that it answers its own host alone", ()
        if self._token is not None and not is_of_the_page(scope["path"]):
            self._token.refresh()
            if not self._token.shown_in(authorization):
                challenge = (b"www-authenticate", b'Bearer realm="hopwatch agent"')
                return TOKEN_NEEDED, "send the agent's token: Authorization: Bearer ...", [challenge]
        return None


def _is_on_this_host(scope: Scope) -> bool:
    """By both addresses of the connection: proxies of a service mesh call a pod's own address from its loopback, for whoever asks them."""
    ends = (scope.get("client"), scope.get("server"))
    return all(end is not None and address_of(end[0]).is_loopback for end in ends)


def _with_ours(headers: Iterable[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
    """What changes from second to second is not to be kept by anybody; what may be asked for anew says so itself."""
    there = list(headers)
    if not any(name.lower() == _CACHING for name, _ in there):
        there.append((_CACHING, b"no-cache" if is_of_the_page(path) else b"no-store"))
    return [*there, _PAGE if is_of_the_page(path) else _ANSWERS, *_HEADERS]


async def _refuse(send: Send, kind: Kind, text: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
    body = problem_body(kind, text)
    length = (b"content-length", str(len(body)).encode())
    start = [(b"content-type", MEDIA_TYPE.encode()), length, *headers]
    await send({"type": "http.response.start", "status": kind.status, "headers": start})
    await send({"type": "http.response.body", "body": body})
