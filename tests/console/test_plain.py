"""What text of others becomes before it is shown, and how figures are written."""

from datetime import datetime, timedelta, timezone

import pytest
from hopwatch_console.lines import wrapped
from hopwatch_console.plain import fitted, plain, shortened
from hopwatch_console.records import Backlog
from hopwatch_console.words import (
    backlog,
    backlog_shortly,
    backlogs_shortly,
    clock,
    counted,
    lasting,
    milliseconds,
    per_second,
    size,
)
from hostile_names import HOSTILE, UNSAFE
from rich.cells import cell_len


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_a_terminal_obeys_is_left_and_no_line_ends(name: str) -> None:
    shown = plain(name)
    assert not (UNSAFE | {"\n"}) & set(shown)
    assert shown.isprintable()
    assert len(shown) <= 4 * 400


def test_what_is_hidden_is_shown_by_its_number() -> None:
    assert plain("a\x1b[2Jb\u202ec\U000e0041") == "a\\u001b[2Jb\\u202ec\\U000e0041"
    assert plain("quotes → slow, Zürich 広告") == "quotes → slow, Zürich 広告"


@pytest.mark.parametrize("cells", [0, 1, 2, 7, 8, 40])
@pytest.mark.parametrize("text", ["", "short", "long-" * 30, "広告" * 30, "a広" * 30])
def test_a_cell_of_a_table_is_exactly_as_wide_as_it_is_to_be(text: str, cells: int) -> None:
    assert cell_len(fitted(text, cells)) == cells
    assert cell_len(fitted(text, cells, right=True)) == cells


def test_long_names_keep_beginning_and_end() -> None:
    assert shortened("feed-of-all-the-quotes-17", 13) == "feed-of-…s-17"


@pytest.mark.parametrize("width", [12, 20, 40, 80])
def test_lines_are_no_wider_than_they_may_be_and_lose_nothing(width: int) -> None:
    words = ["it", "met", "a", "full", "pipe-" * 20, "広告" * 15, "again"]
    lines = [line.text for line in wrapped(" ".join(words), width, first="  - ", later="    ")]
    assert max(map(cell_len, lines)) <= width
    assert "".join(lines).replace(" ", "").removeprefix("-") == "".join(words)


@pytest.mark.parametrize(
    ("rate", "told"),
    [(0, "0"), (0.01, "<0.1"), (0.1, "0.1"), (9.94, "9.9"), (9.96, "10"), (12.4, "12"), (1234.5, "1,234")],
)
def test_a_rate_is_0_only_where_there_is_nothing(rate: float, told: str) -> None:
    assert per_second(rate) == told


@pytest.mark.parametrize(
    ("sent", "received", "told"),
    [
        (Backlog(500, 500), Backlog(7, 0), "↑500 ↓0-7"),
        (Backlog(0, 0), Backlog(7, 7), "7"),
        (Backlog(500, 2), Backlog(0, 0), "2-500"),
        (None, Backlog(7, 7), "7"),
        (Backlog(500, 500), None, "500"),
        (Backlog(0, 0), Backlog(0, 0), "0"),
        (None, None, ""),
    ],
)
def test_a_socket_that_sends_and_receives_has_two_backlogs(
    sent: Backlog | None, received: Backlog | None, told: str
) -> None:
    assert backlogs_shortly(sent, received) == told


def test_figures_are_written_as_the_report_writes_them() -> None:
    assert counted(1, "message") == "1 message"
    assert counted(1234, "message") == "1,234 messages"
    assert backlog(Backlog(5, 2)) == "at least 2, at most 5"
    assert backlog(Backlog(5, 5)) == "5"
    assert backlog(None) == "not known"
    assert backlog_shortly(Backlog(1500, 2)) == "2-1,500"
    assert [size(value) for value in (0, 999, 1000, 15_300, 2_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "15 kB",
        "2.0 MB",
    ]
    assert [milliseconds(value) for value in (5, 999, 1500)] == ["0.01", "1.00", "1.5"]
    assert [lasting(value) for value in (3.9, 61, 3700, 90_000)] == [
        "3 s",
        "1 min 1 s",
        "1 h 1 min",
        "1 d 1 h",
    ]
    moment, same_day = (datetime(2026, 1, 2, hour, 4, 5, tzinfo=timezone.utc) for hour in (3, 20))
    assert clock(moment, same_day) == "03:04:05"
    assert clock(moment, same_day + timedelta(days=1)) == "01-02 03:04"
