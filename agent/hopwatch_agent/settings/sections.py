"""The settings as the parts of the agent take them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hopwatch.settings import from_environment as instrumentation_settings
from msgspec.structs import replace

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.settings.options import LogFormat, LogLevel, OpenToOthers, Options
from hopwatch_agent.settings.telemetry import TelemetrySettings, telemetry_from


@dataclass(frozen=True)
class JournalSettings:
    """Where the journals are, the host of records whose journal does not name one, and how much is held of them.

    ``of_a_pod``: its processes are in containers of their own, whose cgroups are not seen from the agent's.
    """

    directory: Path
    host: str
    limits: Limits = field(default_factory=Limits)
    of_a_pod: bool = False


@dataclass(frozen=True)
class LandingSettings:
    """Where Parquet goes, and when: every ``seconds``, or at ``rows`` rows; how much is kept if it cannot, and how long.

    Every ``merge_seconds`` (0: never) small files become ones of at most ``merge_bytes``.
    """

    uri: str
    seconds: float = 5.0
    rows: int = 100_000
    keep_bytes: int = 1_000_000_000
    keep_seconds: float = 604_800.0
    merge_seconds: float = 3600.0
    merge_bytes: int = 32_000_000


@dataclass(frozen=True)
class ListenSettings:
    """Where HTTP is served; port 0 takes a free one. ``allowed_hosts``: names that requests may be for, beside the usual."""

    host: str
    port: int
    allowed_hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class TlsSettings:
    """Files of PEM."""

    cert: Path
    key: Path
    client_ca: Path | None = None


@dataclass(frozen=True)
class AccessSettings:
    """Who may ask: who knows the token, where there is one, and has a certificate, where an authority is named.

    ``insecure``: anyone, from other hosts too. ``open_to_others``: what other hosts get who prove nothing.
    ``start_closed``: as long as the token or the certificate cannot be used, nobody may, which is better than no agent.
    """

    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    tls: TlsSettings | None = None
    insecure: bool = False
    open_to_others: OpenToOthers = "nothing"
    start_closed: bool = False

    @property
    def asked(self) -> bool:
        """Whether a client has to prove anything."""
        return bool(self.token or self.token_file or (self.tls and self.tls.client_ca))

    @property
    def for_this_host_alone(self) -> bool:
        """Whether other hosts get no more than what is open to them."""
        return not self.asked and not self.insecure


@dataclass(frozen=True)
class LogSettings:
    """What is logged, and how."""

    level: LogLevel = "info"
    format: LogFormat = "auto"


@dataclass(frozen=True)
class AgentSettings:
    """All of one agent's settings. ``data`` is the folder of its database, for it alone; ``outlive``: it ends behind those that it reads; ``report``: where an analysis writes what it finds."""

    journal: JournalSettings
    data: Path
    landing: LandingSettings
    listen: ListenSettings
    access: AccessSettings = AccessSettings()
    log: LogSettings = LogSettings()
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    stop_seconds: float = 20.0
    outlive: bool = False
    report: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(frozen=True)
class Misfit:
    """What does not fit together, and the options without which the rest does."""

    text: str
    names: tuple[str, ...]


def misfits(options: Options, environ: Mapping[str, str]) -> list[Misfit]:
    """All that does not fit together."""
    return [*_data_misfits(environ, options), *_listen_misfits(options), *_access_misfits(options)]


def without(options: Options, found: Iterable[Misfit]) -> Options:
    """The options, with the default for each that does not fit."""
    names = {name for misfit in found for name in misfit.names}
    return replace(options, **{name: getattr(Options(), name) for name in names})


def settings_from(options: Options, environ: Mapping[str, str]) -> AgentSettings:
    """What the options come to; ``environ`` says what the instrumentation takes from it.

    Raises ``SettingsError`` with all that does not fit together.
    """
    found = misfits(options, environ)
    if found:
        raise SettingsError(*(misfit.text for misfit in found))
    journal = _journal(environ, options)
    data = _data(journal, options)
    return AgentSettings(
        journal=journal,
        data=data,
        landing=_landing(options, data),
        listen=_listen(options),
        access=_access(options),
        log=LogSettings(options.log_level, options.log_format),
        telemetry=telemetry_from(environ),
        stop_seconds=options.stop_seconds,
        outlive=options.outlive,
        report=options.report,
        options=options,
    )


def _journal(environ: Mapping[str, str], options: Options) -> JournalSettings:
    given = instrumentation_settings(environ)
    return JournalSettings(
        directory=Path(options.dir) if options.dir else given.directory,
        host=given.host,
        limits=Limits(options.max_processes, options.max_sockets, options.max_lanes, options.max_series),
        of_a_pod=bool(given.place),
    )


def _data(journal: JournalSettings, options: Options) -> Path:
    beside = journal.directory.with_name(f"{journal.directory.name}-data")
    return (Path(options.data) if options.data else beside).absolute()


def _data_misfits(environ: Mapping[str, str], options: Options) -> list[Misfit]:
    journal = _journal(environ, options)
    data = _data(journal, options)
    same = data == journal.directory.absolute()
    return (
        [Misfit(f"the data directory must not be the journal directory, {data}", ("data",))] if same else []
    )


def _landing(options: Options, data: Path) -> LandingSettings:
    return LandingSettings(
        uri=options.land or str(data / "landed"),
        seconds=options.land_seconds,
        rows=options.land_rows,
        keep_bytes=options.keep_bytes,
        keep_seconds=options.keep_seconds,
        merge_seconds=options.merge_seconds,
        merge_bytes=options.merge_bytes,
    )


def _listen(options: Options) -> ListenSettings:
    host, _, port = options.listen.rpartition(":")
    names = (name.strip().lower() for name in (options.allowed_hosts or "").split(","))
    return ListenSettings(
        host=host.removeprefix("[").removesuffix("]"),
        port=int(port),
        allowed_hosts=tuple(name for name in names if name),
    )


def _listen_misfits(options: Options) -> list[Misfit]:
    host, colon, port = options.listen.rpartition(":")
    if colon and host and port.isascii() and port.isdigit() and len(port) < 6 and int(port) <= 65535:
        return []
    text = f"cannot listen on {options.listen!r}: it must be HOST:PORT, like 127.0.0.1:8735"
    return [Misfit(text, ("listen",))]


def _access(options: Options) -> AccessSettings:
    tls = None
    if options.tls_cert:
        tls = TlsSettings(
            cert=Path(options.tls_cert),
            key=Path(options.tls_key or options.tls_cert),
            client_ca=Path(options.tls_client_ca) if options.tls_client_ca else None,
        )
    return AccessSettings(
        token=options.token,
        token_file=Path(options.token_file) if options.token_file else None,
        tls=tls,
        insecure=options.insecure,
        start_closed=options.start_closed,
        open_to_others=options.open_to_others,
    )


def _access_misfits(options: Options) -> list[Misfit]:
    found = []
    if options.token and options.token_file:
        found.append(Misfit("token and token_file are both given: which of them holds?", ("token_file",)))
    for name, value in (("tls_key", options.tls_key), ("tls_client_ca", options.tls_client_ca)):
        if value and not options.tls_cert:
            found.append(Misfit(f"{name} is given without tls_cert: there would be no TLS", (name,)))
    return found
