"""Settings as they may be shown."""

import msgspec

from hopwatch_agent.landing.address import without_secret
from hopwatch_agent.settings.options import SECRET, Options


def told(options: Options) -> list[str]:
    """``name = value`` of each option that has a value, as in the file; nothing secret."""
    return [f"{name} = {msgspec.json.encode(value).decode()}" for name, value in in_force(options).items()]


def in_force(options: Options) -> dict[str, str | int | float | bool]:
    """Each option that has a value; nothing secret."""
    values = msgspec.structs.asdict(options)
    return {name: _shown(name, value) for name, value in values.items() if value is not None}


def _shown(name: str, value: str | float | bool) -> str | int | float | bool:
    if name in SECRET:
        return "(not shown)"
    return without_secret(value) if isinstance(value, str) else value
