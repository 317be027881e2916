"""The agent's settings, from the command line and the environment."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hopwatch.settings import from_environment as instrumentation_settings

from hopwatch_agent.errors import SettingsError

DEFAULT_LISTEN = "127.0.0.1:8735"


@dataclass(frozen=True)
class JournalSettings:
    """Where the journals are, and the host of records whose journal does not name one."""

    directory: Path
    host: str


@dataclass(frozen=True)
class LandingSettings:
    """Where Parquet goes, and when: every ``seconds``, or at ``rows`` rows."""

    uri: str
    seconds: float
    rows: int = 100_000


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


def read_settings(
    environ: Mapping[str, str],
    *,
    directory: str | None = None,
    data: str | None = None,
    land: str | None = None,
    listen: str | None = None,
) -> AgentSettings:
    """Arguments first, then the environment, then defaults; raises ``SettingsError``."""
    given = instrumentation_settings(environ)
    journal = JournalSettings(directory=Path(directory) if directory else given.directory, host=given.host)
    own = data or environ.get("HOPWATCH_AGENT_DATA")
    folder = Path(own) if own else journal.directory.with_name(f"{journal.directory.name}-data")
    folder = folder.absolute()
    if folder == journal.directory.absolute():
        raise SettingsError(f"the data directory must not be the journal directory, {folder}")
    seconds = _seconds(environ.get("HOPWATCH_AGENT_LAND_SECONDS") or "5")
    uri = land or environ.get("HOPWATCH_AGENT_LAND") or str(folder / "landed")
    return AgentSettings(
        journal=journal,
        data=folder,
        landing=LandingSettings(uri=uri, seconds=seconds),
        listen=_listen(listen or environ.get("HOPWATCH_AGENT_LISTEN") or DEFAULT_LISTEN),
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError as error:
        raise SettingsError(f"HOPWATCH_AGENT_LAND_SECONDS is {text!r}: not a number") from error
    if not (math.isfinite(seconds) and seconds > 0):
        raise SettingsError(f"HOPWATCH_AGENT_LAND_SECONDS is {text!r}: it must be above 0")
    return seconds


def _listen(text: str) -> ListenSettings:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise SettingsError(f"cannot listen on {text!r}: it must be HOST:PORT, like {DEFAULT_LISTEN}")
    return ListenSettings(host=host.removeprefix("[").removesuffix("]"), port=int(port))
