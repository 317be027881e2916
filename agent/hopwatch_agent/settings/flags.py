"""The options as arguments of a command."""

import argparse

import msgspec

from hopwatch_agent.settings.options import SECRET, Options
from hopwatch_agent.settings.sources import CONFIG, variable_of

_FIELDS = tuple(field for field in msgspec.structs.fields(Options) if field.name not in SECRET)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds an argument for each option, and ``--config``."""
    parser.add_argument(
        "--config", metavar="FILE", help=f"settings as TOML: land_seconds = 5 ({variable_of(CONFIG)})"
    )
    for field in _FIELDS:
        help_text = f"{_description(field)} ({variable_of(field.name)}{_default(field)})"
        flag = f"--{field.name.replace('_', '-')}"
        if field.default is False:
            parser.add_argument(flag, action="store_const", const=True, help=help_text)
        else:
            parser.add_argument(flag, metavar="V", help=help_text)


def flags_in(args: argparse.Namespace) -> dict[str, str | bool | None]:
    """What was given of them; None where nothing was."""
    return {name: getattr(args, name) for name in (CONFIG, *(field.name for field in _FIELDS))}


def described() -> list[tuple[str, str, str]]:
    """(variable, default or "", what it is) of each option; agent/README.md has them as a table."""
    return [
        (variable_of(field.name), _shown_default(field), _description(field))
        for field in msgspec.structs.fields(Options)
    ]


def _description(field: msgspec.structs.FieldInfo) -> str:
    told = msgspec.inspect.type_info(field.type)
    meta = told.extra_json_schema if isinstance(told, msgspec.inspect.Metadata) else None
    return str((meta or {}).get("description", field.name))


def _default(field: msgspec.structs.FieldInfo) -> str:
    default = _shown_default(field)
    return f"; {default}" if default else ""


def _shown_default(field: msgspec.structs.FieldInfo) -> str:
    return "" if field.default is None or field.default is False else str(field.default)
