"""One agent over HTTP."""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec
from hopwatch.version import VERSION

from hopwatch_console.addresses import Address
from hopwatch_console.arguments import Rights
from hopwatch_console.asking.refusals import NO_AGENT, refusal
from hopwatch_console.asking.server_events import data_of
from hopwatch_console.asking.troubles import trouble_of
from hopwatch_console.connection_records import Connection
from hopwatch_console.errors import AgentError, ConsoleUsageError
from hopwatch_console.frames import Frame, Status
from hopwatch_console.records import Finding, Incident, Socket

T = TypeVar("T")

LARGEST_ANSWER = 256 * 1024 * 1024
SILENT_SECONDS = 10.0
"""How long a stream that tells something each second may be silent."""
LIVE_PATH = "/v1/live"
LANES_PATH = "/v1/lanes"
PAGE = 1000
"""Items of a list that are asked for at once; an older agent gives all."""
SOCKETS_PUSHED = 2000
"""As many as an agent pushes at most; of others there are lists."""


class AgentClient:
    """Asks one agent. Raises ``AgentError``, and nothing else for whatever the network or the agent may do."""

    def __init__(self, address: Address, rights: Rights, timeout: float, page: int = PAGE) -> None:
        self.address = address
        self._page = page
        self._rights = rights
        # a proxy for the web would be told of the token, and does not lead to agents
        self._http = httpx.AsyncClient(
            base_url=address.url,
            verify=tls_of(rights) if address.scheme == "https" else False,
            timeout=timeout,
            trust_env=False,
            headers={"User-Agent": f"hopwatch/{VERSION}", "Accept": "application/json, text/event-stream"},
        )

    async def close(self) -> None:
        """Lets its connections go."""
        await self._http.aclose()

    async def status(self) -> Status:
        """The agent itself; whatever else answers at its address is told from it here."""
        async with self._answer("/v1/status") as answer:
            body = await _body(answer)
        try:
            return msgspec.json.decode(body, type=Status)
        except msgspec.MsgspecError as error:
            raise AgentError(
                "not_an_agent", f"what answers at {self.address.url} is no hopwatch agent", NO_AGENT
            ) from error

    async def sockets(self) -> tuple[Socket, ...]:
        """Every socket."""
        return await self._list("/v1/sockets", Socket, self._page)

    async def connections(self) -> tuple[Connection, ...]:
        """The connections of open sockets."""
        return await self._list("/v1/connections", Connection, self._page)

    async def findings(self) -> tuple[Finding, ...]:
        """Every finding, with its socket."""
        return await self._list("/v1/findings", Finding, self._page)

    async def incidents(self) -> tuple[Incident, ...]:
        """Losses, grouped."""
        return await self._list("/v1/incidents", Incident, None)

    async def numbered(self) -> bool:
        """Whether anything that is numbered has come to a receiver: where nothing has, nobody counts what is lost between sockets."""
        async with self._answer(f"{LANES_PATH}?role=receive&limit=1") as answer:
            return bool(_decoded(await _body(answer), list[msgspec.Raw], LANES_PATH))

    async def live(self, after: int | None) -> AsyncIterator[Frame]:
        """Frames until the agent ends in order, or ``AgentError``."""
        path = f"{LIVE_PATH}?sockets={SOCKETS_PUSHED}{'' if after is None else f'&after={after}'}"
        async with self._answer(path, read=SILENT_SECONDS) as answer:
            async for event, data in data_of(answer.aiter_bytes()):
                if event == "end":
                    return
                if event == "live":
                    yield _decoded(data, Frame, LIVE_PATH)
            raise AgentError("gone", f"{self.address.place} has broken off", "It is asked again")

    async def _list(self, path: str, record: type[T], page: int | None) -> tuple[T, ...]:
        found: list[T] = []
        left: str | None = path if page is None else f"{path}?limit={page}"
        seen = set()
        while left is not None and left not in seen:
            seen.add(left)
            async with self._answer(left) as answer:
                found += _decoded(await _body(answer), list[record], path)  # type: ignore[valid-type]
                left = self._next(answer)
        return tuple(found)

    def _next(self, answer: httpx.Response) -> str | None:
        """The path of the next page; what leads to somebody else is not followed, since the token would go there too."""
        link = answer.links.get("next", {}).get("url")
        if link is None:
            return None
        parts = urlsplit(urljoin(str(answer.url), link))
        if (parts.scheme, parts.netloc) != (answer.url.scheme, answer.url.netloc.decode()):
            raise AgentError(
                "not_an_agent", f"{self.address.url} names another host for its next page", NO_AGENT
            )
        return f"{parts.path}?{parts.query}"

    @asynccontextmanager
    async def _answer(self, path: str, read: float | None = None) -> AsyncIterator[httpx.Response]:
        """An answer with status 200."""
        token = self._token()
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        timeout = self._http.timeout
        if read is not None:
            timeout = httpx.Timeout(timeout.connect, read=read)
        try:
            async with self._http.stream("GET", path, headers=headers, timeout=timeout) as answer:
                if answer.status_code != httpx.codes.OK:
                    raise refusal(self.address, answer.status_code, await _body(answer), token)
                yield answer
        except httpx.HTTPError as error:
            raise await trouble_of(self.address, error, timeout) from error

    def _token(self) -> str | None:
        try:
            return self._rights.current_token()
        except ConsoleUsageError as error:  # it could be read when the command was started
            raise AgentError("token_unreadable", str(error), "It is read again for each request") from error


def tls_of(rights: Rights) -> ssl.SSLContext:
    """How agents' certificates are checked, and what of ours they are shown."""
    try:
        context = ssl.create_default_context(cafile=rights.ca)
    except (OSError, ValueError) as error:
        raise ConsoleUsageError(f"--ca {rights.ca} holds no certificate in PEM ({error})") from error
    if rights.cert is not None:
        try:
            # without a password of its own, OpenSSL would ask for one on the terminal
            context.load_cert_chain(rights.cert, rights.key, password="")
        except (OSError, ValueError) as error:
            raise ConsoleUsageError(
                f"--cert {rights.cert} and its key cannot be used ({error}): give both in PEM, the key without a password"
            ) from error
    return context


async def _body(answer: httpx.Response) -> bytes:
    body = bytearray()
    async for part in answer.aiter_bytes():
        body += part
        if len(body) > LARGEST_ANSWER:
            raise AgentError("not_an_agent", f"{answer.url} does not end its answer", NO_AGENT)
    return bytes(body)


def _decoded(data: bytes, kind: type[T], path: str) -> T:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.MsgspecError as error:
        raise AgentError(
            "other_version",
            f"the agent's {path} is not as hopwatch {VERSION} knows it ({error})",
            "Use the same version of hopwatch here and there",
        ) from error
