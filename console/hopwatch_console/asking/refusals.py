"""What an answer other than 200 means, and what to do then."""

import msgspec

from hopwatch_console.addresses import Address
from hopwatch_console.arguments import TOKEN_VARIABLE
from hopwatch_console.errors import AgentError

NO_AGENT = (
    "Is the port right? An agent says where it listens when it starts; by default at http://127.0.0.1:8735"
)
_LONGEST_TEXT = 300


class Refused(msgspec.Struct, frozen=True):
    """Why an agent refuses: as problem details (RFC 9457), or as older agents say it."""

    title: str = ""
    detail: str = ""
    error: str = ""


def refusal(address: Address, status: int, body: bytes, token: str | None) -> AgentError:
    """The error that an answer comes to."""
    said = _said(body)
    if not said or status == 404:
        return AgentError(
            "not_an_agent",
            f"what answers at {address.url} (with status {status}) is no hopwatch agent",
            NO_AGENT,
        )
    kind, advice = _meaning(address, status, said, token)
    return AgentError(kind, f"{address.place} refuses: {said}", advice)


def _meaning(address: Address, status: int, said: str, token: str | None) -> tuple[str, str]:
    if status == 401:
        return _token_meaning(token)
    if status == 403 and "certificate" in said:
        return "certificate_missing", "Give one that the agent's authority has signed with --cert and --key"
    other: dict[int, tuple[str, str]] = {
        403: (
            "not_allowed",
            "Ask it from its own host, or give the agent a token (HOPWATCH_AGENT_TOKEN_FILE)",
        ),
        421: (
            "host_name",
            f"Start the agent with --allowed-hosts {address.host}, or ask it by its IP address",
        ),
        503: ("busy", "Ask again in a moment; an agent serves few who watch at once"),
    }
    wrong = f"It answered with status {status}: look at what it logs, and whether it is a hopwatch agent of this version"
    return other.get(status, ("refused", wrong))


def _token_meaning(token: str | None) -> tuple[str, str]:
    if token is None:
        return (
            "token_missing",
            f"Set {TOKEN_VARIABLE} to its token, or name a file that holds it with --token-file",
        )
    return (
        "token_wrong",
        f"{TOKEN_VARIABLE} or --token-file holds another token than the agent's HOPWATCH_AGENT_TOKEN or HOPWATCH_AGENT_TOKEN_FILE",
    )


def _said(body: bytes) -> str:
    """What an agent says of a refusal; "" where it is nothing that an agent would say."""
    try:
        refused = msgspec.json.decode(body, type=Refused)
    except msgspec.MsgspecError:
        return ""
    return (refused.detail or refused.title or refused.error)[:_LONGEST_TEXT]
