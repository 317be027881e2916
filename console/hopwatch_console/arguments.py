"""Which agents are asked, and by which right: the arguments that these commands share."""

import argparse
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hopwatch_console.addresses import DEFAULT_AGENT, Address, addresses_in
from hopwatch_console.errors import ConsoleUsageError

AGENTS_VARIABLE = "HOPWATCH_AGENTS"
TOKEN_VARIABLE = "HOPWATCH_TOKEN"  # noqa: S105 -- its name, not a token
TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True)
class Rights:
    """What agents are shown, and how theirs is checked. A token file is read anew for each use, since tokens are renewed."""

    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def current_token(self) -> str | None:
        """None where none was given."""
        if self.token_file is None:
            return self.token
        try:
            return _sound(self.token_file.read_text(encoding="utf-8"), f"the token in {self.token_file}")
        except (OSError, UnicodeDecodeError) as error:
            raise ConsoleUsageError(
                f"the token file {self.token_file} cannot be read ({_reason(error)}): give one that you can read"
            ) from error


@dataclass(frozen=True)
class Wanted:
    """Whom to ask, how, and for how long to wait for an answer."""

    addresses: tuple[Address, ...]
    rights: Rights
    timeout: float


def add_agent_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds them to a command's parser."""
    parser.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="URL",
        help=f"an agent to ask; may be repeated ({AGENTS_VARIABLE}, by comma; {DEFAULT_AGENT})",
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"holds the token that agents ask for ({TOKEN_VARIABLE})",
    )
    _add_certificates(parser)
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=TIMEOUT_SECONDS,
        metavar="SECONDS",
        help="how long to wait for an answer (default: %(default)g)",
    )


def _add_certificates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ca", type=Path, metavar="FILE", help="PEM file that agents' certificates are checked by"
    )
    parser.add_argument(
        "--cert", type=Path, metavar="FILE", help="PEM file of your certificate, for agents that ask for one"
    )
    parser.add_argument(
        "--key", type=Path, metavar="FILE", help="PEM file of its key; default: in the same file"
    )


def wanted_in(args: argparse.Namespace, environ: Mapping[str, str]) -> Wanted:
    """What they come to, with the environment; raises ``ConsoleUsageError``."""
    token = environ.get(TOKEN_VARIABLE, "")
    rights = Rights(
        token=_sound(token, TOKEN_VARIABLE) if token.strip() else None,
        token_file=args.token_file,
        ca=args.ca,
        cert=args.cert,
        key=args.key,
    )
    if rights.key is not None and rights.cert is None:
        raise ConsoleUsageError("--key is of a certificate: give that with --cert")
    for flag, file in (("--ca", rights.ca), ("--cert", rights.cert), ("--key", rights.key)):
        _readable(flag, file)
    rights.current_token()
    return Wanted(addresses_in(args.agent, environ.get(AGENTS_VARIABLE, "")), rights, args.timeout)


def _readable(flag: str, file: Path | None) -> None:
    if file is None:
        return
    try:
        file.open("rb").close()
    except OSError as error:
        raise ConsoleUsageError(f"{flag} {file} cannot be read ({_reason(error)})") from error


def _sound(token: str, where: str) -> str:
    """A token as it goes into a header."""
    stripped = token.strip()
    if not stripped or not stripped.isascii() or not stripped.isprintable() or " " in stripped:
        raise ConsoleUsageError(f"{where} is no token: one is of printable ASCII characters without a space")
    return stripped


def _reason(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is no text"


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds
