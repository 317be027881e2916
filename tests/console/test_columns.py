"""How the columns of a table share a terminal's width."""

import pytest
from hopwatch_console.top.app import VIEWS
from hopwatch_console.top.columns import GAP, Column, shared_out
from hopwatch_console.top.sparkline import sparkline
from hopwatch_console.top.views.view import View


@pytest.mark.parametrize("width", [10, 20, 40, 80, 120, 250])
@pytest.mark.parametrize("view", VIEWS, ids=[view.title for view in VIEWS])
def test_no_table_is_wider_than_its_terminal_and_what_matters_most_stays(
    view: View[object], width: int
) -> None:
    shares = shared_out(view.columns, width)
    shown = [column for column, _ in shares]
    assert all(share >= column.width for column, share in shares)
    if width >= 40:
        assert sum(share for _, share in shares) + GAP * (len(shares) - 1) <= width
        assert [column for column in view.columns if column.place == 0 and column not in shown] == []
    assert shown == [column for column in view.columns if column in shown]


def test_the_least_important_go_first_and_what_is_left_is_shared() -> None:
    columns = [
        Column[str]("a", 5, str, weight=1),
        Column[str]("b", 5, str, place=2),
        Column[str]("c", 5, str, place=1, weight=3),
    ]
    told = {
        width: [(column.title, share) for column, share in shared_out(columns, width)]
        for width in (5, 11, 17, 25)
    }
    assert told == {
        5: [("a", 5)],
        11: [("a", 5), ("c", 5)],
        17: [("a", 5), ("b", 5), ("c", 5)],
        25: [("a", 7), ("b", 5), ("c", 11)],
    }


def test_a_sparkline_is_of_the_last_seconds_against_the_largest() -> None:
    assert sparkline((1, 8, 4, 0, 8), 4) == "█▅ █"
    assert sparkline((8,), 4) == "   █"
    assert sparkline((0, 0), 4) == ""
