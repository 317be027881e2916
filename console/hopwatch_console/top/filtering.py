"""The line in which words are typed that rows must hold."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class Filter(Input):
    """Covers the last line while it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "drop", show=False)]

    class Left(Message):
        """It is closed."""

    def __init__(self, id: str) -> None:  # noqa: A002 -- as all widgets call it
        super().__init__(placeholder="words that a row must hold", id=id, compact=True, select_on_focus=False)

    def open(self) -> None:
        """Asks."""
        self.add_class("open")
        # at once: what is typed next is for it already
        self.screen.set_focus(self)

    def drop(self) -> None:
        """Takes the words away, and is closed."""
        self.value = ""
        self._close_line()

    def action_drop(self) -> None:
        """By Escape."""
        self.drop()

    def on_input_submitted(self) -> None:
        """By Enter: the words stay."""
        self._close_line()

    def _close_line(self) -> None:
        self.remove_class("open")
        self.post_message(self.Left())
