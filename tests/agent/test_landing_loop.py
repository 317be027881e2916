"""What the loop that lands says of itself."""

import time
from typing import Any

import pytest
from hopwatch_agent.landing.keeping import Bounds, Keeper
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.landing.loop import LandingLoop
from hopwatch_agent.landing.merger import Merger, MergeRule
from hopwatch_agent.landing.reasons import explained
from hopwatch_agent.live.draft import Draft
from hopwatch_agent.live.state import Row
from hopwatch_agent.settings.sections import LandingSettings

SOCKET = "00000000000000a1"
AT = 1_700_000_000_000_000_000


@pytest.fixture
def loop(bench: Any) -> LandingLoop:
    settings = LandingSettings(str(bench.landed))
    keeper = Keeper(bench.batches, Bounds(settings.keep_bytes, settings.keep_seconds))
    merger = Merger(bench.batches, Landing(settings.uri), MergeRule(0, 0))
    return LandingLoop(bench.lander, keeper, merger, settings, bench.board)


def onset(number: Any) -> Row:
    values = {"socket": SOCKET, "number": number, "lane": 0, "lane_number": 0}
    return Row("onset", AT, "web-1", None, None, values)


def add_onsets(bench: Any, *numbers: Any) -> None:
    draft = Draft(bench.tables)
    for number in numbers:
        draft.rows.append(onset(number))
    bench.board.publish(draft, bench.store.commit(draft))


def test_when_all_has_landed_it_says_when(bench: Any, loop: LandingLoop) -> None:
    add_onsets(bench, 1, 2)
    loop.start()
    loop.end(60)
    assert loop.ended(60)
    assert bench.view.status().last_landing is not None
    assert bench.view.status().rows_waiting == 0


def test_what_has_landed_before_a_tick_has_told_of_it_leaves_no_less_than_nothing(
    bench: Any, loop: LandingLoop
) -> None:
    draft = Draft(bench.tables)
    draft.rows.append(onset(1))
    rows = bench.store.commit(draft)
    loop.start()
    loop.end(60)
    assert loop.ended(60)
    status = bench.view.status()
    assert (status.rows_waiting, status.database.rows) == (0, 0)
    bench.board.publish(draft, rows)
    assert bench.view.status().rows_waiting == 0


def test_time_in_which_bounds_are_kept_while_landing_counts_once(
    bench: Any, loop: LandingLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopwatch_agent.landing.loop.KEEP_EVERY_SECONDS", 0.0)
    for number in range(50):
        add_onsets(bench, number)
        bench.batches.form()
    began = time.monotonic()
    loop.start()
    loop.end(60)
    assert loop.ended(60)
    assert bench.board.progress.landing_seconds <= time.monotonic() - began


def test_rows_that_fit_no_table_are_not_called_landed_and_tried_but_once(
    bench: Any, loop: LandingLoop
) -> None:
    add_onsets(bench, "no number")
    loop.start()
    loop.end(600)
    assert not loop.ended(60)
    status = bench.view.status()
    assert (status.last_landing, status.rows_waiting) == (None, 1)
    (error,) = status.errors
    assert "cannot make a table" in error.text
    for text in (error.text, loop.refused):
        assert "until another version of the agent can land it, or it is given up" in text


def test_a_refusal_reads_the_same_at_each_try() -> None:
    text = "AWS Error ACCESS_DENIED during PutObject operation: Access Denied.{} (Request ID: {})"
    first, second = (explained(text.format("", request)) for request in ("17A5", "99BC"))
    assert first == second
    assert first.startswith("access is denied")
