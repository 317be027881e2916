"""Where agents are: their URLs as people write them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from hopwatch_console.errors import ConsoleUsageError

DEFAULT_AGENT = "http://127.0.0.1:8735"
DEFAULT_PORT = 8735
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Address:
    """One agent's place; ``url`` is without a slash at its end."""

    scheme: str
    host: str
    port: int

    @property
    def url(self) -> str:
        """What its paths are put behind."""
        return f"{self.scheme}://{self.place}"

    @property
    def place(self) -> str:
        """HOST:PORT."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_here(self) -> bool:
        """Whether it is reached by loopback."""
        return self.host in LOOPBACK


def address_in(text: str) -> Address:
    """Reads a URL, or HOST:PORT, or HOST; without a port it is the agent's own."""
    written = text.strip()
    try:
        parts = urlsplit(written if "://" in written else f"http://{written}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise _unusable(text, str(error)) from error
    if parts.scheme not in {"http", "https"}:
        raise _unusable(text, "it begins with http:// or https://")
    if not host or not host.isprintable() or " " in host:
        raise _unusable(text, "it names no host")
    if parts.username is not None or parts.password is not None:
        raise _unusable("...@" + parts.netloc.rpartition("@")[2], "a token goes into HOPWATCH_TOKEN")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise _unusable(text, "it ends after the port")
    return Address(parts.scheme, host, DEFAULT_PORT if port is None else port)


def addresses_in(given: list[str], variable: str) -> tuple[Address, ...]:
    """Those of the flags; else those of the variable, by comma; else the default. Each once."""
    written = given or [part for part in variable.split(",") if part.strip()] or [DEFAULT_AGENT]
    return tuple(dict.fromkeys(address_in(text) for text in written))


def _unusable(text: str, why: str) -> ConsoleUsageError:
    return ConsoleUsageError(f"{text!r} is no address of an agent: {why}, as in {DEFAULT_AGENT}")
