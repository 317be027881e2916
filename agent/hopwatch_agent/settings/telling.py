"""Settings as lines that may be shown."""

import msgspec

from hopwatch_agent.landing.address import without_secret
from hopwatch_agent.settings.options import SECRET, Options


def told(options: Options) -> list[str]:
    """``name = value`` of each option that has a value, as in the file; nothing secret."""
    values = msgspec.structs.asdict(options)
    return [f"{name} = {_shown(name, value)}" for name, value in values.items() if value is not None]


def _shown(name: str, value: object) -> str:
    if name in SECRET:
        return '"(not shown)"'
    text = without_secret(value) if isinstance(value, str) else value
    return msgspec.json.encode(text).decode()
