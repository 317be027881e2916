"""Onto standard output: for a person, with colours where there is a terminal for them, or for a program."""

import json
import sys
from shutil import get_terminal_size
from typing import NoReturn

import msgspec
from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from hopwatch_console.fleet.picture import Picture
from hopwatch_console.status.document import document_of
from hopwatch_console.status.text import status_lines

PIPED_WIDTH = 80
LONGEST_LINE = 120
_STYLES = {"head": "bold", "bad": "bold red", "warn": "bold yellow", "good": "green"}


class _Printer(Console):
    """rich ends the program by itself, as if it had failed, where nobody reads on."""

    def on_broken_pipe(self) -> NoReturn:
        """Called while the error is handled."""
        raise  # noqa: PLE0704


def print_text(picture: Picture, *, everything: bool) -> None:
    """NO_COLOR and TERM=dumb are honoured by rich; nothing is taken as its markup."""
    # what a terminal's encoding lacks is written by its number rather than not at all
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    console = _Printer(theme=Theme(_STYLES), highlight=False, markup=False, emoji=False)
    width = min(get_terminal_size().columns, LONGEST_LINE) if console.is_terminal else PIPED_WIDTH
    for line in status_lines(picture, width, everything=everything):
        console.print(Text(line.text, style=line.style), soft_wrap=True)
    sys.stdout.flush()


def print_document(picture: Picture) -> None:
    """In ASCII: what names hold is escaped, so that it does nothing to a terminal either."""
    encoded = msgspec.to_builtins(document_of(picture))
    print(json.dumps(encoded, indent=1), flush=True)
