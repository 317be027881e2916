"""How it stands with a socket: as its agent says, and, of agents that are too old to say it, by its rates."""

from datetime import datetime, timezone

import pytest
from hopwatch_console.fleet.standing import rank, standing_of, unknown
from hopwatch_console.records import Backlog, Counters, Process, Rates, Socket

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)


def socket(**known: object) -> Socket:
    return Socket("00", "quotes", "PUB", **known)  # type: ignore[arg-type]


def test_what_the_agent_says_holds_whatever_the_rates_are() -> None:
    told = standing_of(socket(state="pressed", state_text="3 sends waiting", rates=Rates(lost=5)))
    assert (told.state, told.text) == ("pressed", "3 sends waiting")


@pytest.mark.parametrize(
    ("known", "state", "text"),
    [
        ({}, "quiet", ""),
        ({"rates": Rates(sent=100)}, "quiet", ""),
        ({"rates": Rates(lost=2.5)}, "losing", "it misses 2.5 messages/s"),
        ({"rates": Rates(onsets=1)}, "losing", "it meets a full pipe 1.0 times/s"),
        ({"rates": Rates(unroutable=20, eagain_sends=3)}, "losing", "it cannot route 20 messages/s"),
        ({"rates": Rates(eagain_sends=30)}, "pressed", "30 sends/s are refused (EAGAIN)"),
        ({"rates": Rates(waited_sends=30)}, "pressed", "30 sends/s have to wait"),
        ({"counters": Counters(pending_sends=2)}, "pressed", "2 sends wait in the application"),
        ({"closed_at": NOW, "rates": Rates(lost=1)}, "closed", "it was closed"),
        ({"process": Process(gone_at=NOW)}, "closed", "its process has ended"),
    ],
)
def test_without_its_word_the_rates_tell(known: dict[str, object], state: str, text: str) -> None:
    told = standing_of(socket(**known))
    assert (told.state, told.text) == (state, text)


def test_the_worst_comes_first_and_what_is_not_known_before_what_is_over() -> None:
    states = ["closed", "of-a-newer-agent", "quiet", "losing", "pressed"]
    assert sorted(states, key=rank) == ["losing", "pressed", "of-a-newer-agent", "quiet", "closed"]


def test_of_an_agent_that_is_away_totals_are_known_and_the_present_is_not() -> None:
    told = socket(
        state="losing",
        state_text="3 messages lost",
        counters=Counters(lost=3),
        rates=Rates(lost=1),
        backlog_sent=Backlog(2, 1),
    )
    left = unknown(told, NOW)
    assert (left.state, left.rates, left.backlog_sent, left.counters.lost) == ("unknown", Rates(), None, 3)
    assert (
        left.state_text
        == "its agent is away since 2026-01-02 00:00:00 UTC; then it was losing (3 messages lost)"
    )
    closed = socket(closed_at=NOW)
    assert unknown(closed, NOW) == closed
