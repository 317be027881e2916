"""Styles by name, in colours that the theme has; without colours, words alone tell."""

from rich.style import Style
from rich.text import Text

from hopwatch_console.lines import Line

STYLES = {
    "": Style(),
    "head": Style(bold=True),
    "bad": Style(color="bright_red", bold=True),
    "warn": Style(color="yellow"),
    "good": Style(color="green"),
    "dim": Style(dim=True),
    "spark": Style(color="cyan"),
    "key": Style(bold=True, reverse=True),
}


def style_of(name: str) -> Style:
    """Names without one look as all else does."""
    return STYLES.get(name, STYLES[""])


def text_of(lines: list[Line]) -> Text:
    """Lines as one text, in which nothing is taken for markup."""
    return Text("\n").join(Text(line.text, style=style_of(line.style), no_wrap=True) for line in lines)
