"""Rows as they are held in memory, to be shown."""

from itertools import islice

from msgspec.structs import replace

from hopwatch_agent.live.limits import ADVICE_LIMIT, OPTIONS_KEPT, kept
from hopwatch_agent.live.state import Row, Values

SHORT_KINDS = frozenset({"gap", "onset"})
"""They come in floods, and have no texts but ids."""


def remembered(row: Row) -> Row:
    """The row with the beginnings of its texts: what was landed of it is whole. Nearly every one is within the limits."""
    if row.kind in SHORT_KINDS:
        return row
    for value in row.values.values():
        if isinstance(value, str):
            if len(value) > ADVICE_LIMIT:
                break
        elif isinstance(value, dict):
            break
    else:
        return row
    values: Values = {}
    for name, value in row.values.items():
        if isinstance(value, str):
            values[name] = kept(value, ADVICE_LIMIT)
        elif isinstance(value, dict):
            values[name] = {kept(key): number for key, number in islice(value.items(), OPTIONS_KEPT)}
        else:
            values[name] = value
    return replace(row, values=values)
