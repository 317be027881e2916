"""Figures, times and names as the page shows them."""

import unicodedata
from datetime import datetime
from typing import Any

from markupsafe import Markup

REORDERING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MUCH = 0.01
"""The share of a hop's messages from which on a loss is called heavy."""


def number(value: int | None) -> str:
    """A whole number with its thousands set apart."""
    return "not known" if value is None else f"{value:,}"


def several(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"1 {noun}" if count == 1 else f"{count:,} {plural or noun + 's'}"


def percent(part: int, whole: int) -> str:
    """A share that is 0 % only where there is nothing, and 100 % only where it is all."""
    if not part or not whole:
        return "0 %"
    share = 100 * part / whole
    if part < whole and share > 99.9:
        return "> 99.9 %"
    if share < 0.1:
        return "< 0.1 %"
    return f"{share:.0f} %" if share >= 10 or share.is_integer() else f"{share:.1f} %"


def severity(sent: int, lost: int, unexplained: int) -> str:
    """How a hop is drawn: "heavy", "light" (losses), "unexplained" or "sound"."""
    if lost:
        return "heavy" if lost >= MUCH * sent else "light"
    return "unexplained" if unexplained else "sound"


def moment(value: datetime | None) -> str:
    """A time to the second; it is in UTC."""
    return "not known" if value is None else f"{value:%Y-%m-%d %H:%M:%S}"


def shortened(text: str, longest: int) -> str:
    """The beginning and the end: what tells names apart is often at the end."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 3
    return f"{text[: longest - 1 - tail]}…{text[-tail:]}"


def legible(value: Any) -> Any:
    """Text from events without characters that cannot be seen or turn the text around them: those as \\u1234."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(_shown(char) for char in value)


def _shown(char: str) -> str:
    hidden = char in REORDERING or (unicodedata.category(char) == "Cc" and char not in "\n\t")
    return f"\\u{ord(char):04x}" if hidden else char
