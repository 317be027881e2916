"""What a failed request means, and what to do then: httpx's errors are translated here and nowhere else."""

import asyncio
import socket
import ssl
from collections.abc import Iterator

import httpx

from hopwatch_console.addresses import DEFAULT_AGENT, Address
from hopwatch_console.asking.refusals import NO_AGENT
from hopwatch_console.errors import AgentError


async def trouble_of(address: Address, error: httpx.HTTPError, timeout: httpx.Timeout) -> AgentError:
    """The error that it comes to. Asks the other end once whether it speaks TLS, where that is the question."""
    causes = list(_causes(error))
    if isinstance(error, httpx.TimeoutException):
        return _too_slow(address, error, timeout)
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            return AgentError(
                "name_not_resolved",
                f"the name {address.host} leads to no address ({cause.strerror})",
                "Is it spelt as this host knows it? An IP address does as well",
            )
        if isinstance(cause, ConnectionRefusedError):
            return AgentError("nobody_listens", f"nobody listens at {address.place}", _start_one(address))
        if isinstance(cause, ssl.SSLError):
            return _tls_trouble(address, cause)
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return await _broken_off(address, timeout.connect)
    reason = next(
        (cause.strerror for cause in causes if isinstance(cause, OSError) and cause.strerror), str(error)
    )
    return AgentError(
        "not_reached",
        f"{address.place} is not reached ({reason or type(error).__name__})",
        "Is the way there open from this host?",
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it, those of several attempts included."""
    while error is not None:
        yield error
        for inner in getattr(error, "exceptions", ()):
            yield from _causes(inner)
        error = error.__cause__ or error.__context__


def _start_one(address: Address) -> str:
    if address.url == DEFAULT_AGENT:
        return "Start one: hopwatch agent"
    if address.is_here:
        return f"Start one: hopwatch agent --listen {address.place}"
    return (
        "Start one there: hopwatch agent --listen HOST:PORT (without it, an agent answers its own host alone)"
    )


def _too_slow(address: Address, error: httpx.TimeoutException, timeout: httpx.Timeout) -> AgentError:
    if isinstance(error, httpx.ConnectTimeout):
        return AgentError(
            "timeout",
            f"{address.place} was not reached within {timeout.connect:g} s",
            "Is the way there open? --timeout waits longer",
        )
    return AgentError(
        "timeout",
        f"{address.place} gave no answer within {timeout.read:g} s",
        "Is it busy, or stopped? --timeout waits longer",
    )


def _tls_trouble(address: Address, error: ssl.SSLError) -> AgentError:
    reason = (error.reason or "").replace("_", " ").lower() or str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return AgentError(
            "certificate_unknown",
            f"the certificate of {address.place} does not hold: {error.verify_message}",
            "Name the authority that it is of with --ca, and ask by a name that it is for",
        )
    if error.reason in {
        "WRONG_VERSION_NUMBER",
        "RECORD_LAYER_FAILURE",
        "HTTP_REQUEST",
        "PACKET_LENGTH_TOO_LONG",
    }:
        return AgentError(
            "no_tls", f"{address.place} does not speak TLS", f"Ask by http: --agent http://{address.place}"
        )
    if "ALERT" in (error.reason or ""):
        return AgentError(
            "certificate_refused",
            f"{address.place} refuses the connection ({reason})",
            "Give a certificate that the agent's authority has signed with --cert and --key",
        )
    return AgentError("tls", f"{address.place} and hopwatch do not agree on TLS ({reason})", NO_AGENT)


async def _broken_off(address: Address, seconds: float | None) -> AgentError:
    if address.scheme == "http" and await _speaks_tls(address, seconds):
        return AgentError(
            "only_tls", f"{address.place} speaks TLS alone", f"Ask by https: --agent https://{address.place}"
        )
    return AgentError(
        "gone", f"{address.place} has broken off", "Is the agent stopping? Ask again in a moment"
    )


async def _speaks_tls(address: Address, seconds: float | None) -> bool:
    """Whether a handshake gets somewhere. Nothing is sent within it, so nothing has to be believed."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        _, writer = await asyncio.wait_for(
            asyncio.open_connection(address.host, address.port, ssl=context), seconds
        )
    except (OSError, asyncio.TimeoutError):
        return False
    writer.close()
    return True
