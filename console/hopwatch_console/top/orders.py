"""In which order each tab shows its rows: as it comes, until another one is asked for."""

from typing import Any

from hopwatch_console.top.views.view import Order, View


class Orders:
    """One for each view."""

    def __init__(self) -> None:
        self._orders: dict[str, Order] = {}

    def of(self, view: View[Any]) -> Order:
        """The present one."""
        return self._orders.get(view.title, Order())

    def next_column(self, view: View[Any], by: int) -> None:
        """By the next column that can be sorted by; -1: by the one before."""
        at = self.of(view).column
        sortable = [place for place, column in enumerate(view.columns) if column.order is not None]
        found = sortable.index(at) if at is not None else (-1 if by > 0 else 0)
        self._orders[view.title] = Order(sortable[(found + by) % len(sortable)])

    def of_head(self, view: View[Any], column: int) -> None:
        """By the column of that head; once more, the other way round."""
        before = self.of(view)
        self._orders[view.title] = Order(column, before.column == column and not before.reversed)

    def reverse(self, view: View[Any]) -> None:
        """The other way round."""
        before = self.of(view)
        self._orders[view.title] = Order(before.column, not before.reversed)

    def reset(self, view: View[Any]) -> None:
        """As it comes."""
        self._orders.pop(view.title, None)
