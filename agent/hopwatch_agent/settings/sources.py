"""Where settings come from: the command line first, then the environment, then the file."""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.settings.options import SECRET, Options

PREFIX = "HOPWATCH_AGENT_"
CONFIG = "config"

_TYPES = {field.name: field.type for field in msgspec.structs.fields(Options)}
_JOURNAL_DIRECTORY = "dir"
# Kubernetes puts these, NAME=VALUE, into every container beside a Service that is named hopwatch-agent, or hopwatch-agent-injector
_OF_A_SERVICE = re.compile(
    r"([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_\w+)?=.*|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?=.*|PORT=(tcp|udp|sctp)://.*)"
)


def options_from(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> Options:
    """Every option, from wherever it is given; ``config`` among the flags, or in the environment, names the file.

    Raises ``SettingsError``, which names all that is wrong and where it was said.
    """
    options, problems = readable_options(environ, flags)
    if problems:
        raise SettingsError(*problems)
    return options


def readable_options(
    environ: Mapping[str, str], flags: Mapping[str, str | bool | None]
) -> tuple[Options, list[str]]:
    """The options that can be read, and what is wrong with the others, which are left out."""
    problems: list[str] = []
    given_flags = {name: value for name, value in flags.items() if value is not None}
    given_environ = _environment(environ, problems)
    in_environment = given_environ.pop(CONFIG, None)
    config = given_flags.pop(CONFIG, in_environment)
    merged: dict[str, Any] = {}
    if config:
        merged.update(_from_file(Path(str(config)), problems))
    for name, text in given_environ.items():
        _put(merged, name, text, variable_of(name), problems)
    for name, value in given_flags.items():
        _put(merged, name, value, f"--{name.replace('_', '-')}", problems)
    return Options(**merged), problems


def _environment(environ: Mapping[str, str], problems: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    if environ.get(variable_of(_JOURNAL_DIRECTORY)):
        found[_JOURNAL_DIRECTORY] = environ[variable_of(_JOURNAL_DIRECTORY)]
    for variable, value in environ.items():
        rest = variable.removeprefix(PREFIX)
        if rest == variable or not value or _OF_A_SERVICE.fullmatch(f"{rest}={value}"):
            continue
        name = rest.lower()
        if rest != rest.upper() or name == _JOURNAL_DIRECTORY or name not in {*_TYPES, CONFIG}:
            problems.append(_unknown(variable, [variable_of(known) for known in (*_TYPES, CONFIG)]))
        else:
            found[name] = value
    return found


def variable_of(name: str) -> str:
    """The name of an option in the environment."""
    return "HOPWATCH_DIR" if name == _JOURNAL_DIRECTORY else PREFIX + name.upper()


def _from_file(path: Path, problems: list[str]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    try:
        found = msgspec.toml.decode(path.read_bytes())
    except OSError as error:
        problems.append(f"cannot read the settings in {path}: {error.strerror}")
        return merged
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        problems.append(f"{path} is not TOML: {error}")
        return merged
    for name, value in found.items():
        if name not in _TYPES:
            problems.append(f"{path}: " + _unknown(name, list(_TYPES)))
        else:
            _put(merged, name, value, f"{path}: {name}", problems, strict=True)
    return merged


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"{name} is no setting of the agent" + (f"; did you mean {near[0]}?" if near else "")


def _put(
    merged: dict[str, Any], name: str, value: object, where: str, problems: list[str], *, strict: bool = False
) -> None:
    try:
        merged[name] = msgspec.convert(value, _TYPES[name], strict=strict)
    except msgspec.ValidationError as error:
        shown = "not usable" if name in SECRET else repr(value)
        problems.append(f"{where} is {shown}: {_reason(error)}")


def _reason(error: msgspec.ValidationError) -> str:
    text = str(error).replace("`", "")
    return text[:1].lower() + text[1:]
