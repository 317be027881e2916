"""The settings as the parts of the agent take them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hopwatch.settings import from_environment as instrumentation_settings

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.live.limits import Limits
from hopwatch_agent.settings.options import LogLevel, Options
from hopwatch_agent.settings.telemetry import TelemetrySettings, telemetry_from


@dataclass(frozen=True)
class JournalSettings:
    """Where the journals are, the host of records whose journal does not name one, and how much is held of them."""

    directory: Path
    host: str
    limits: Limits = field(default_factory=Limits)


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
    """Where HTTP is served; port 0 takes a free one."""

    host: str
    port: int


@dataclass(frozen=True)
class AgentSettings:
    """All of one agent's settings. ``data`` is the folder of its database, for it alone."""

    journal: JournalSettings
    data: Path
    landing: LandingSettings
    listen: ListenSettings
    log_level: LogLevel = "info"
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)


def settings_from(options: Options, environ: Mapping[str, str]) -> AgentSettings:
    """What the options come to; ``environ`` says what the instrumentation takes from it. Raises ``SettingsError``."""
    journal = _journal(environ, options)
    data = _data(journal, options)
    return AgentSettings(
        journal=journal,
        data=data,
        landing=_landing(options, data),
        listen=_listen(options.listen),
        log_level=options.log_level,
        telemetry=telemetry_from(environ),
    )


def _journal(environ: Mapping[str, str], options: Options) -> JournalSettings:
    given = instrumentation_settings(environ)
    return JournalSettings(
        directory=Path(options.dir) if options.dir else given.directory,
        host=given.host,
        limits=Limits(options.max_processes, options.max_sockets, options.max_lanes, options.max_series),
    )


def _data(journal: JournalSettings, options: Options) -> Path:
    beside = journal.directory.with_name(f"{journal.directory.name}-data")
    data = (Path(options.data) if options.data else beside).absolute()
    if data == journal.directory.absolute():
        raise SettingsError(f"the data directory must not be the journal directory, {data}")
    return data


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


def _listen(text: str) -> ListenSettings:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise SettingsError(f"cannot listen on {text!r}: it must be HOST:PORT, like 127.0.0.1:8735")
    return ListenSettings(host=host.removeprefix("[").removesuffix("]"), port=int(port))
