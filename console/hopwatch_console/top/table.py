"""A table of which only the lines on the screen are ever drawn, so that it may have any number of rows."""

from collections.abc import Callable
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from hopwatch_console.plain import fitted
from hopwatch_console.top.columns import GAP, Column, shared_out
from hopwatch_console.top.styles import style_of
from hopwatch_console.top.views.view import Order, View

CURSOR = Style(reverse=True)
HEAD = Style(bold=True, underline=True)


class Table(ScrollView, can_focus=True):
    """Rows of a view. The cursor stays with its row, wherever that goes; before it was moved, it is at the first."""

    DEFAULT_CSS = "Table { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home,g", "end(-1)", show=False),
        Binding("end,G", "end(1)", show=False),
        Binding("enter", "open", show=False),
    ]

    class Opened(Message):
        """The details of a row are asked for."""

        def __init__(self, item: Any) -> None:
            super().__init__()
            self.item = item

    class Moved(Message):
        """The cursor is on another row."""

    class HeadClicked(Message):
        """It is to be sorted by a column."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    def __init__(self, view: View[Any]) -> None:
        super().__init__()
        self._view = view
        self._columns = list(view.columns)
        self._rows: list[Any] = []
        self._order = Order()
        self._key: str | None = None
        self._cursor = 0
        self._message = ""

    def show(self, view: View[Any], rows: list[Any], order: Order, message: str, *, several: bool) -> None:
        """Takes the place of what it showed; ``message`` is for where there are no rows, ``several`` whether there are several agents."""
        if view is not self._view:
            self._key, self._cursor = None, 0
            self.scroll_to(0, 0, animate=False)
        self._view, self._rows, self._order, self._message = view, rows, order, message
        self._columns = [column for column in view.columns if several or not column.of_several]
        self._follow(view.key)
        self._make_room()
        self.refresh()

    @property
    def item(self) -> Any | None:
        """Where the cursor is."""
        return self._rows[self._cursor] if self._rows else None

    def _follow(self, key: Callable[[Any], str]) -> None:
        at_most = max(0, len(self._rows) - 1)
        if self._key is None:
            self._cursor = 0
            return
        found = next((place for place, row in enumerate(self._rows) if key(row) == self._key), None)
        self._cursor = min(self._cursor, at_most) if found is None else found
        if found is not None:
            self._keep_in_sight()

    def _make_room(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows) + 1)

    def on_resize(self) -> None:
        """The head is a line of the same window."""
        self._make_room()
        self._keep_in_sight()

    # drawing

    def render_line(self, y: int) -> Strip:
        """One line of the window; the first is the head, which stays."""
        width = self.scrollable_content_region.width
        shares = shared_out(self._columns, width)
        if y == 0:
            return self._head(shares).adjust_cell_length(width, HEAD + self.rich_style)
        place = self.scroll_offset.y + y - 1
        if place < len(self._rows):
            return self._row(place, shares).adjust_cell_length(width, self._base(place))
        text = self._message if y == 2 and not self._rows else ""
        return Strip([Segment(fitted(text, width), self.rich_style)])

    def _head(self, shares: list[tuple[Column[Any], int]]) -> Strip:
        segments = []
        for column, width in shares:
            title = f"{column.title}{self._mark(column)}"
            segments.append(
                Segment(fitted(title, width, right=column.right) + " " * GAP, self.rich_style + HEAD)
            )
        return Strip(segments)

    def _mark(self, column: Column[Any]) -> str:
        if self._order.column is None or self._view.columns[self._order.column] is not column:
            return ""
        return "▼" if column.falling != self._order.reversed else "▲"

    def _row(self, place: int, shares: list[tuple[Column[Any], int]]) -> Strip:
        item, base = self._rows[place], self._base(place)
        segments = []
        for column, width in shares:
            named = column.style if isinstance(column.style, str) else column.style(item)
            text = fitted(column.text(item), width, right=column.right)
            # under the cursor colours would be those of what lies behind the words
            style = base if place == self._cursor else base + style_of(named)
            segments.append(Segment(text + " " * GAP, style))
        return Strip(segments)

    def _base(self, place: int) -> Style:
        return self.rich_style + CURSOR if place == self._cursor else self.rich_style

    # moving

    def action_move(self, by: int) -> None:
        """By so many rows."""
        self._go(self._cursor + by)

    def action_page(self, by: int) -> None:
        """By so many windows."""
        self._go(self._cursor + by * max(1, self._lines - 1))

    def action_end(self, which: int) -> None:
        """To the first or the last row; from the first on, to whichever is the first from now on."""
        self._go(0 if which < 0 else len(self._rows) - 1)
        if which < 0:
            self._key = None

    def action_open(self) -> None:
        """Asks for the details of the row."""
        if self.item is not None:
            self.post_message(self.Opened(self.item))

    @property
    def _lines(self) -> int:
        return max(1, self.scrollable_content_region.height - 1)

    def _go(self, place: int) -> None:
        if not self._rows:
            return
        self._cursor = max(0, min(place, len(self._rows) - 1))
        self._key = self._view.key(self._rows[self._cursor])
        self._keep_in_sight()
        self.refresh()
        self.post_message(self.Moved())

    def _keep_in_sight(self) -> None:
        # a region below the head, which always covers one line
        top = self.scroll_offset.y
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False, immediate=True)
        elif self._cursor >= top + self._lines:
            self.scroll_to(y=self._cursor - self._lines + 1, animate=False, immediate=True)

    def on_click(self, event: events.Click) -> None:
        """A head sorts, a row is gone to, and the row that the cursor is on is opened."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        if offset.y == 0:
            self._click_head(offset.x)
            return
        place = self.scroll_offset.y + offset.y - 1
        if place == self._cursor and self._key is not None:
            self.action_open()
        elif place < len(self._rows):
            self._go(place)

    def _click_head(self, x: int) -> None:
        begin = 0
        for column, width in shared_out(self._columns, self.scrollable_content_region.width):
            begin += width + GAP
            if x < begin:
                if column.order is not None:
                    self.post_message(self.HeadClicked(list(self._view.columns).index(column)))
                return
