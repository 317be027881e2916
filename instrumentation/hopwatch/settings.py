"""What the environment says to an instrumented process."""

import os
import re
import socket
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from hopwatch.journal.files import PRIVATE
from hopwatch.sequences import KNOWN

PLACE = {
    "namespace": "K8S_NAMESPACE_NAME",
    "pod": "K8S_POD_NAME",
    "container": "K8S_CONTAINER_NAME",
    "node": "K8S_NODE_NAME",
    "owner": "K8S_OWNER",
}
"""Variables that a pod's specification fills in ("downward API"); ``owner``: kind and name of the workload, like ``StatefulSet/feed``."""

LONGEST = 253
"""Characters of a name of Kubernetes."""
LONGEST_HOST = 240
"""Bytes of a host's name as a part of a path, where all but letters, digits and ``-._~`` are three: file systems allow 255."""

VARIABLES = (
    "HOPWATCH_DIR",
    "HOPWATCH_HOST",
    "HOPWATCH_NAME",
    "HOPWATCH_SEQUENCE",
    "HOPWATCH_STAMP_EVERY",
    "HOPWATCH_TOPIC",
    "HOPWATCH_FIRST_CALLS",
    "HOPWATCH_FILE_MODE",
    "HOPWATCH_DISABLED",
    "XDG_RUNTIME_DIR",
    *PLACE.values(),
)

FIRST_CALLS = 1000
_NUMBER = re.compile("[0-9]{1,9}")


@dataclass(frozen=True)
class Settings:
    """One process's settings; equal settings share one journal."""

    directory: Path
    directory_is_default: bool
    host: str
    name: str | None
    sequence: str | None
    disabled: bool
    stamp_every: int = 1
    topic: str | int | None = None
    first_calls: int = FIRST_CALLS
    file_mode: int = PRIVATE
    place: tuple[tuple[str, str], ...] = ()
    problems: tuple[str, ...] = ()


def from_environment(environ: Mapping[str, str] | None = None) -> Settings:
    """Read ``HOPWATCH_DIR``, ``HOPWATCH_HOST``, ``HOPWATCH_NAME``, ``HOPWATCH_SEQUENCE``, ``HOPWATCH_STAMP_EVERY``,
    ``HOPWATCH_TOPIC``, ``HOPWATCH_FIRST_CALLS``, ``HOPWATCH_FILE_MODE``, ``HOPWATCH_DISABLED``, and where Kubernetes says that this is. What cannot be used is left out, and told in ``problems``: the application must not notice.
    """
    values = os.environ if environ is None else environ
    return _settings(tuple(map(values.get, VARIABLES)), os.getuid())


@lru_cache(maxsize=8)
def _settings(given: tuple[str | None, ...], user: int) -> Settings:
    """Asked for with each socket, and hardly ever different."""
    values = {name: value for name, value in zip(VARIABLES, given, strict=True) if value}
    problems: list[str] = []
    directory = values.get("HOPWATCH_DIR")
    return Settings(
        directory=_absolute(directory) if directory else _default_directory(values, user),
        directory_is_default=not directory,
        host=host_called(values.get("HOPWATCH_HOST") or socket.gethostname()),
        name=values.get("HOPWATCH_NAME"),
        sequence=_sequence(values.get("HOPWATCH_SEQUENCE"), problems),
        disabled=values.get("HOPWATCH_DISABLED", "") not in {"", "0"},
        stamp_every=_number(values, "HOPWATCH_STAMP_EVERY", 1, 1, problems),
        topic=_topic(values.get("HOPWATCH_TOPIC")),
        first_calls=_number(values, "HOPWATCH_FIRST_CALLS", FIRST_CALLS, 0, problems),
        file_mode=_file_mode(values.get("HOPWATCH_FILE_MODE"), problems),
        place=place_in(values),
        problems=tuple(problems),
    )


def _absolute(directory: str) -> Path:
    """As it is found now: the application may go to another folder, or be in one that has been removed."""
    path = Path(directory)
    with suppress(OSError):
        return path.absolute()
    return path


def _sequence(text: str | None, problems: list[str]) -> str | None:
    known = ("stamp", "count", *KNOWN)
    if text and text not in known:
        problems.append(f"HOPWATCH_SEQUENCE must be one of {', '.join(known)}, not {text!r}")
        return None
    return text


def _topic(text: str | None) -> str | int | None:
    """A length where it is a number, else a delimiter."""
    return int(text) if text and _NUMBER.fullmatch(text) and int(text) else text


def _number(values: Mapping[str, str], name: str, default: int, least: int, problems: list[str]) -> int:
    text = values.get(name, str(default))
    if not _NUMBER.fullmatch(text) or int(text) < least:
        problems.append(f"{name} must be a number from {least} on, not {text!r}")
        return default
    return int(text)


def _file_mode(text: str | None, problems: list[str]) -> int:
    if not text:
        return PRIVATE
    if re.fullmatch("0?6(00|40|44)", text) is None:
        problems.append(f"HOPWATCH_FILE_MODE must be like 0600, 0640 or 0644, not {text!r}")
        return PRIVATE
    return int(text, 8)


def _default_directory(values: Mapping[str, str], user: int) -> Path:
    """``$XDG_RUNTIME_DIR/hopwatch``, else ``/tmp/hopwatch-<uid>``, whatever ``TMPDIR`` says: the agent's may be another one."""
    runtime = values.get("XDG_RUNTIME_DIR")
    if runtime:
        return Path(runtime) / "hopwatch"
    return Path("/tmp", f"hopwatch-{user}")  # noqa: S108 - who owns it is looked at before it is used


def place_in(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Where Kubernetes says that this process runs, as pairs; nothing where no pod's specification says anything."""
    told = ((name, values.get(variable, "")) for name, variable in PLACE.items())
    return tuple((name, value[:LONGEST]) for name, value in told if value)


def host_called(name: str) -> str:
    """The host's name, or its beginning and a checksum where it is too long for a folder to be called after it."""
    if _bytes_in_a_path(name) <= LONGEST_HOST:
        return name
    checksum = f"-{zlib.crc32(name.encode(errors='replace')):08x}"
    beginning = name[:LONGEST_HOST]
    while _bytes_in_a_path(beginning) + len(checksum) > LONGEST_HOST:
        beginning = beginning[:-1]
    return beginning + checksum


def _bytes_in_a_path(name: str) -> int:
    return len(quote(name, safe="", errors="replace"))
