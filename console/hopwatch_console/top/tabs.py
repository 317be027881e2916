"""The line of tabs, with how many there are of each."""

from rich.text import Text
from textual import events
from textual.message import Message
from textual.widgets import Static

from hopwatch_console.top.styles import style_of
from hopwatch_console.words import number


class TabLine(Static):
    """One is open; on a narrow terminal only that one has its name."""

    DEFAULT_CSS = "TabLine { height: 1; }"

    class Chosen(Message):
        """Another one is to be open."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(markup=False)
        self._ends: list[int] = []

    def show(self, titles: list[tuple[str, int]], opened: int, width: int) -> None:
        """Draws them."""
        labels = [f" {place} {title} {number(count)} " for place, (title, count) in enumerate(titles, 1)]
        if sum(map(len, labels)) > width:
            labels = [
                f" {place} {title} " if place - 1 == opened else f" {place} "
                for place, (title, _) in enumerate(titles, 1)
            ]
        line = Text(no_wrap=True)
        self._ends = []
        for place, label in enumerate(labels):
            line.append(label, style_of("key" if place == opened else ""))
            self._ends.append(line.cell_len)
        line.truncate(width)
        self.update(line)

    def on_click(self, event: events.Click) -> None:
        """Opens the one that was clicked."""
        place = next((place for place, end in enumerate(self._ends) if event.x < end), None)
        if place is not None:
            self.post_message(self.Chosen(place))
