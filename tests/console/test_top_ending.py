"""The end of ``hopwatch top``: the timer, a resize or the table may call when the widgets are gone."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timezone

import pytest
from hopwatch_console.addresses import address_in
from hopwatch_console.fleet.board import Board
from hopwatch_console.top.app import TopApp

CALLS: dict[str, Callable[[TopApp], None]] = {
    "the timer": TopApp._tick,  # noqa: SLF001 -- what the timer calls
    "a resize": TopApp.on_resize,
    "the table": TopApp.on_table_moved,
}


class LateCalled(TopApp):
    """Call once more when the widgets are gone."""

    def __init__(self, call: Callable[[TopApp], None]) -> None:
        now = datetime.now(timezone.utc)
        super().__init__([Board(address_in("box-1"), now)], [])
        self._call = call
        self.screens_left: list[int] = []

    def on_unmount(self) -> None:
        """Textual says this last, and to the application alone."""
        self.screens_left.append(len(self.screen_stack))
        self._call(self)


@pytest.mark.parametrize("caller", CALLS)
def test_a_late_call_draws_nothing(caller: str) -> None:
    app = LateCalled(CALLS[caller])

    async def story() -> None:
        async with app.run_test():
            pass

    asyncio.run(story())
    assert app.screens_left == [0]


def test_a_tick_draws_while_it_runs() -> None:
    """Show that the calls above would draw."""
    drawn: list[int] = []

    class Counted(TopApp):
        def _draw_all(self) -> None:
            super()._draw_all()
            drawn.append(len(self.screen_stack))

    async def story() -> None:
        app = Counted([Board(address_in("box-1"), datetime.now(timezone.utc))], [])
        async with app.run_test():
            before = len(drawn)
            app._tick()  # noqa: SLF001 -- what the timer calls
            assert len(drawn) > before

    asyncio.run(story())
