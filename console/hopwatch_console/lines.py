"""Lines of text for a terminal, wrapped by words; styles are by name, so that what is printed elsewhere has none."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len


@dataclass(frozen=True)
class Line:
    """One line: its style, and text that is safe already."""

    text: str = ""
    style: str = ""


def wrapped(text: str, width: int, *, first: str = "", later: str = "", style: str = "") -> Iterator[Line]:
    """Lines of at most so many cells; ``first`` and ``later`` are what they begin with."""
    begin, words = first, list(_pieces(text, max(8, width - max(cell_len(first), cell_len(later)))))
    line = begin
    for word in words:
        longer = f"{line}{word}" if line == begin else f"{line} {word}"
        if cell_len(longer) > width and line != begin:
            yield Line(line, style)
            begin = later
            longer = f"{begin}{word}"
        line = longer
    yield Line(line, style)


def _pieces(text: str, width: int) -> Iterator[str]:
    """The words; one that is longer than a line in parts."""
    for word in text.split():
        rest = word
        while cell_len(rest) > width:
            part = _beginning(rest, width)
            yield part
            rest = rest[len(part) :]
        yield rest


def _beginning(word: str, width: int) -> str:
    taken = word[:width]
    while cell_len(taken) > width:
        taken = taken[:-1]
    return taken
