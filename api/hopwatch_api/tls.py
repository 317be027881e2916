"""TLS of the HTTP interface, with files that are read again when they change."""

import ssl
from pathlib import Path

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.logs.events import EventLogger
from hopwatch_agent.settings.sections import TlsSettings

GOES_ON = "the certificate that was read last goes on to be used"
log = EventLogger(__name__)


class Tls:
    """One context for all connections. Connections that come after a renewal get the new certificate."""

    def __init__(self, settings: TlsSettings, *, start_closed: bool = False) -> None:
        """Raises ``SettingsError`` if the files cannot be used; with ``start_closed``, no connection comes about until they can."""
        self._settings = settings
        self._seen: list[tuple[int, ...]] = []
        self._meanwhile = "no connection comes about"
        self.problem: str | None = None
        """Why the files' present content is not used; the last good one is."""
        self.context = _without_files(settings)
        try:
            marks = _marks(settings)
            self._take_up()
        except SettingsError as error:
            if not start_closed:
                raise
            self.problem = f"{error}; {self._meanwhile}"
        else:
            self._seen, self._meanwhile = marks, GOES_ON

    def refresh(self) -> None:
        """Reads the files again if they have changed; what cannot be used replaces nothing."""
        try:
            marks = _marks(self._settings)
            if marks == self._seen:
                return
            self._take_up()
        except SettingsError as error:
            self.problem = f"{error}; {self._meanwhile}"
            return
        self._seen, self.problem, self._meanwhile = marks, None, GOES_ON
        log.info("certificate_renewed", file=str(self._settings.cert))

    def _take_up(self) -> None:
        # a certificate without its key, or beside an authority that is none, must not get into the one in use
        _load(_without_files(self._settings), self._settings)
        _load(self.context, self._settings)


def _without_files(settings: TlsSettings) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    if settings.client_ca is not None:
        # who has none gets no further than to health, which the kubelet asks without one
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def _load(context: ssl.SSLContext, settings: TlsSettings) -> None:
    try:
        context.load_cert_chain(settings.cert, settings.key, password=_no_password)
        if settings.client_ca is not None:
            context.load_verify_locations(settings.client_ca)
    except (OSError, ValueError) as error:
        files = ", ".join(str(file) for file in _files(settings))
        raise SettingsError(f"cannot use the TLS files {files}: {error}") from error


def _no_password() -> str:
    raise ValueError("the key is locked by a password")


def _files(settings: TlsSettings) -> list[Path]:
    return [file for file in (settings.cert, settings.key, settings.client_ca) if file is not None]


def _marks(settings: TlsSettings) -> list[tuple[int, ...]]:
    try:
        found = [file.stat() for file in _files(settings)]
    except OSError as error:
        raise SettingsError(f"cannot read {error.filename}: {error.strerror}") from error
    return [(status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size) for status in found]
