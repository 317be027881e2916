"""All that is known of one row, over the table, and up to date while it is read."""

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from hopwatch_console.lines import Line
from hopwatch_console.top.styles import text_of

Lines = Callable[[int], list[Line]]
"""What is shown, at a width."""


class Details(ModalScreen[None]):
    """Is left by Escape, Enter or q."""

    DEFAULT_CSS = """
    Details { background: $background; }
    Details VerticalScroll { border: round $primary; padding: 0 1; scrollbar-size-vertical: 1; }
    Details Static { width: 1fr; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "leave", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, title: str, lines: Lines) -> None:
        super().__init__()
        self._heading = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """One text that can be scrolled."""
        with VerticalScroll() as scroll:
            scroll.border_title = self._heading
            scroll.border_subtitle = "Esc: back"
            yield Static(markup=False)

    def on_mount(self) -> None:
        """Its first text."""
        self.query_one(VerticalScroll).focus()
        self.call_after_refresh(self.show)

    def on_resize(self) -> None:
        """Its lines are made for its width."""
        self.show()

    def show(self) -> None:
        """Draws it anew; before it has its parts, there is nothing to draw on."""
        if not self.query(Static):
            return
        scroll = self.query_one(VerticalScroll)
        width = max(20, scroll.scrollable_content_region.width)
        self.query_one(Static).update(text_of(self._lines(width)))

    def action_leave(self) -> None:
        """Back to the table."""
        self.dismiss()

    def action_scroll(self, by: int) -> None:
        """By a line."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)
