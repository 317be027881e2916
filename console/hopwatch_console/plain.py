"""Text that journals brought, made fit for a terminal: names are whatever a process of somebody else's wrote.

Nothing that a terminal obeys gets through (control characters, escape sequences), nothing that turns or hides the text around it
(bidirectional marks, zero-width characters), and nothing is as long as it likes.
"""

from rich.cells import cell_len, set_cell_size

LONGEST = 400


def plain(value: object, longest: int = LONGEST) -> str:
    """One line of printable characters; what is none is shown as its number."""
    text = str(value)
    if len(text) > longest:
        text = shortened(text, longest)
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else _number_of(sign) for sign in text)


def shortened(text: str, longest: int) -> str:
    """The beginning and the end: what tells names apart is often at the end."""
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 3
    return f"{text[: longest - 1 - tail]}…{text[len(text) - tail :]}"


def fitted(text: str, cells: int, *, right: bool = False) -> str:
    """Exactly so many cells of a terminal: cut, or filled up."""
    if cells <= 0:
        return ""
    width = cell_len(text)
    if width > cells:
        return f"{set_cell_size(text, cells - 1)}…"
    filling = " " * (cells - width)
    return filling + text if right else text + filling


def _number_of(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
