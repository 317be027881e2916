"""The application: pictures in, tabs and keys."""

from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.picture import Picture
from hopwatch_console.fleet.watching import Watcher
from hopwatch_console.plain import fitted, plain
from hopwatch_console.top.bindings import OF_THE_TABLE, bindings
from hopwatch_console.top.details import Details
from hopwatch_console.top.filtering import Filter
from hopwatch_console.top.keys import help_lines
from hopwatch_console.top.last_line import last_line
from hopwatch_console.top.orders import Orders
from hopwatch_console.top.styles import style_of
from hopwatch_console.top.summary import summary
from hopwatch_console.top.table import Table
from hopwatch_console.top.tabs import TabLine
from hopwatch_console.top.views.agents import AGENTS
from hopwatch_console.top.views.connections import CONNECTIONS
from hopwatch_console.top.views.events import EVENTS
from hopwatch_console.top.views.findings import FINDINGS
from hopwatch_console.top.views.incidents import INCIDENTS
from hopwatch_console.top.views.sockets import SOCKETS
from hopwatch_console.top.views.view import View, chosen, in_order

VIEWS: tuple[View[Any], ...] = (SOCKETS, CONNECTIONS, FINDINGS, INCIDENTS, EVENTS, AGENTS)
DRAWN_SECONDS = 0.5
LINES_FOR_AGENTS = 6
"""One in so many of the terminal's lines may be an agent's."""


class TopApp(App[None]):
    """Draws a picture of the boards twice a second; while it is paused, always the same."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #summary { height: auto; }
    #line { height: 1; }
    #last { height: 1; dock: bottom; }
    #filter { display: none; height: 1; border: none; dock: bottom; padding: 0; }
    #filter.open { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = bindings(len(VIEWS))

    def __init__(self, boards: Sequence[Board], watchers: Sequence[Watcher]) -> None:
        super().__init__()
        self._boards = boards
        self._watchers = watchers
        self._picture = self._taken()
        self._paused = False
        self._opened = 0
        self._orders = Orders()
        self._words = ""
        self._is_ended = False

    def end(self) -> None:
        """Ends it, also before it has begun."""
        self._is_ended = True
        self.exit()

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Static(id="summary", markup=False)
        yield TabLine()
        yield Table(VIEWS[0])
        yield Static(id="line", markup=False)
        yield Static(id="last", markup=False)
        yield Filter(id="filter")

    def on_mount(self) -> None:
        """Watches from now on."""
        if self._is_ended:
            self.exit()
        for watcher in self._watchers:
            self.run_worker(watcher.run(), exit_on_error=True)
        self.query_one(Table).focus()
        self.set_interval(DRAWN_SECONDS, self._tick)
        self._draw()

    def on_resize(self) -> None:
        """Everything is made for the width that there is."""
        self._draw()

    def _taken(self) -> Picture:
        return Picture(datetime.now(timezone.utc), tuple(board.picture() for board in self._boards))

    def _tick(self) -> None:
        if not self._paused:
            self._picture = self._taken()
            self._draw()

    @property
    def _view(self) -> View[Any]:
        return VIEWS[self._opened]

    @property
    def _can_draw(self) -> bool:
        """Return whether there are widgets: Textual removes them before it stops the timer."""
        return self.is_running

    def _draw(self) -> None:
        if self._can_draw:
            self._draw_all()

    def _draw_all(self) -> None:
        picture, width = self._picture, self.size.width
        lines = max(1, self.size.height // LINES_FOR_AGENTS)
        self.screen_stack[0].query_one("#summary", Static).update(
            summary(picture, width, lines, paused=self._paused)
        )
        counts = [(view.title, view.count(picture)) for view in VIEWS]
        self._of(TabLine).show(counts, self._opened, width)
        order = self._orders.of(self._view)
        rows = in_order(self._view, chosen(self._view, picture, self._words), order)
        several = len(picture.agents) > 1
        self._of(Table).show(self._view, rows, order, self._where_empty(), several=several)
        self._draw_line()
        self._draw_last(len(rows), counts[self._opened][1])
        if isinstance(self.screen, Details):
            self.screen.show()
        for watcher in self._watchers:
            watcher.look_at(self._looked_at())

    def _looked_at(self) -> tuple[str, ...]:
        """The lists of which the screen shows what changes all the time."""
        if self._view is CONNECTIONS:
            return ("connections",)
        # what a socket's details show is of both
        details_of_socket = self._view is SOCKETS and isinstance(self.screen, Details)
        return ("sockets", "connections") if details_of_socket else ()

    def _of(self, kind: type[Any]) -> Any:
        """The widget of the main screen, whatever lies over that."""
        return self.screen_stack[0].query_one(kind)

    def _where_empty(self) -> str:
        return f"nothing holds {self._words!r}: Esc drops the filter" if self._words else self._view.empty

    def on_table_moved(self) -> None:
        """Says of that row what there is to say."""
        if self._can_draw:
            self._draw_line()

    def _draw_line(self) -> None:
        item = self._of(Table).item
        text = "" if item is None else plain(self._view.line(item), 500)
        shown = Text(fitted(text, self.size.width), style=style_of("dim"), no_wrap=True)
        self.screen_stack[0].query_one("#line", Static).update(shown)

    def _draw_last(self, shown: int, there: int) -> None:
        events = self._view is EVENTS
        passed_over = sum(agent.events_left_out for agent in self._picture.agents) if events else 0
        line = last_line(self._words, shown, there, passed_over, self.size.width)
        self.screen_stack[0].query_one("#last", Static).update(line)

    # what keys do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 -- Textual's
        """While words are typed, or details read, these keys are theirs."""
        elsewhere = isinstance(self.focused, Filter) or isinstance(self.screen, Details)
        return not (elsewhere and action in OF_THE_TABLE)

    def action_leave(self) -> None:
        """Ends it."""
        self.end()

    def action_tab(self, place: int) -> None:
        """Opens a tab."""
        self._opened = place
        self._draw()

    def action_next_tab(self, by: int) -> None:
        """Opens the one beside."""
        self.action_tab((self._opened + by) % len(VIEWS))

    def action_sort(self, by: int) -> None:
        """By the next column that can be sorted by."""
        self._orders.next_column(self._view, by)
        self._draw()

    def action_reverse(self) -> None:
        """The other way round."""
        self._orders.reverse(self._view)
        self._draw()

    def action_unsort(self) -> None:
        """As at first."""
        self._orders.reset(self._view)
        self._draw()

    def action_pause(self) -> None:
        """The picture stays as it is, or is taken anew."""
        self._paused = not self._paused
        if not self._paused:
            self._picture = self._taken()
        self._draw()

    def action_ask(self) -> None:
        """Does not wait for the time to come."""
        for watcher in self._watchers:
            watcher.ask_now()

    def action_filter(self) -> None:
        """Asks for words."""
        self.query_one(Filter).open()

    def action_unfilter(self) -> None:
        """All rows again."""
        self.query_one(Filter).drop()

    def action_help(self) -> None:
        """Which keys there are."""
        self.push_screen(Details("hopwatch top", help_lines))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filters as it is typed."""
        self._words = event.value
        self._draw()

    def on_filter_left(self) -> None:
        """Back to the rows."""
        self.query_one(Table).focus()

    def on_tab_line_chosen(self, event: TabLine.Chosen) -> None:
        """As its key does."""
        self.action_tab(event.place)

    def on_table_head_clicked(self, event: Table.HeadClicked) -> None:
        """Sorts; once more, the other way round."""
        self._orders.of_head(self._view, event.column)
        self._draw()

    def on_table_opened(self, event: Table.Opened) -> None:
        """Shows the details of a row, of each picture anew for as long as it is in them."""
        view, key, last = self._view, self._view.key(event.item), [event.item]

        def lines(width: int) -> list[Any]:
            found = next((item for item in view.items(self._picture) if view.key(item) == key), None)
            if found is not None:
                last[0] = found
            return list(view.details(last[0], self._picture, width))

        self.push_screen(Details(view.title, lines))
