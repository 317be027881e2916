"""The last line: which rows are shown, what was left out, and the keys."""

from rich.text import Text

from hopwatch_console.plain import plain
from hopwatch_console.top.keys import SHORT
from hopwatch_console.top.styles import style_of


def last_line(words: str, shown: int, there: int, passed_over: int, width: int) -> Text:
    """``words``: of the filter; ``passed_over``: events."""
    line = Text(no_wrap=True)
    if words:
        line.append(f" {shown:,} of {there:,}: {plain(words, 30)} ", style_of("warn"))
    if passed_over:
        line.append(f" {passed_over:,} passed over ", style_of("warn"))
    for key, meaning in SHORT:
        line.append(f" {key} ", style_of("key"))
        line.append(f" {meaning}  ")
    line.truncate(width)
    return line
