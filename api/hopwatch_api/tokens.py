"""The token that clients show: from the settings, or from a file that is read again when it changes."""

import hmac
import secrets
from pathlib import Path

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.settings.sections import AccessSettings

LEAST_LENGTH = 16
_LARGEST_FILE = 4096
_SCHEME = b"bearer "
HOLDS = "the token that was read last goes on to hold"

log = EventLogger(__name__)


class Token:
    """What clients have to know."""

    def __init__(self, access: AccessSettings) -> None:
        """Raises ``SettingsError`` if it cannot be had or is none; where the agent may start closed, nobody knows it then."""
        self._file = access.token_file
        self._seen: tuple[int, ...] | None = None
        self._meanwhile = "nobody has it"
        self.problem: str | None = None
        """Why the file's present content is not used; the last good one is."""
        try:
            self._value = self._first(access)
        except SettingsError as error:
            if not access.start_closed:
                raise
            self._value = secrets.token_bytes()
            self.problem = f"{error}; {self._meanwhile}"

    def _first(self, access: AccessSettings) -> bytes:
        if self._file is None:
            return _checked(access.token or "", "token")
        mark, value = _mark(self._file), _read(self._file)
        self._seen, self._meanwhile = mark, HOLDS
        return value

    def shown_in(self, authorization: bytes | None) -> bool:
        """Whether the header of a request holds the token. How long it takes tells nothing of how much was right."""
        if authorization is None or authorization[: len(_SCHEME)].lower() != _SCHEME:
            return False
        return hmac.compare_digest(authorization[len(_SCHEME) :].strip(), self._value)

    def refresh(self) -> None:
        """Reads the file again if it has changed; what cannot be used does not replace the token."""
        if self._file is None:
            return
        try:
            mark = _mark(self._file)
            if mark == self._seen:
                return
            self._value = _read(self._file)
        except SettingsError as error:
            self.problem = f"{error}; {self._meanwhile}"
            return
        self._seen, self.problem, self._meanwhile = mark, None, HOLDS
        log.info("token_renewed", file=str(self._file))


def _mark(file: Path) -> tuple[int, ...]:
    try:
        status = file.stat()
    except OSError as error:
        raise SettingsError(f"cannot read the token in {file}: {error.strerror}") from error
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(_LARGEST_FILE)
    except OSError as error:
        raise SettingsError(f"cannot read the token in {file}: {error.strerror}") from error
    return _checked(content.decode("latin-1").strip(), f"the token in {file}")


def _checked(token: str, what: str) -> bytes:
    if not all("!" <= sign <= "~" for sign in token):
        raise SettingsError(f"{what} has characters that a header cannot carry: use letters and digits")
    if len(token) < LEAST_LENGTH:
        raise SettingsError(f"{what} is too short to be safe: it needs {LEAST_LENGTH} characters or more")
    return token.encode()
