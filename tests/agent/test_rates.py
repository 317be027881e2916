"""How fast counters grow, over about two seconds."""

from collections import deque

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.shaping import rates_of


def counts(**known: int) -> tuple[int, ...]:
    return tuple(known.get(name, 0) for name in COUNTERS)


def test_they_are_what_was_counted_by_second() -> None:
    rates = rates_of(deque([(10.0, counts(sent=100, lost=1)), (12.0, counts(sent=300, lost=2))]))
    assert (rates["sent"], rates["lost"]) == (100.0, 0.5)


def test_messages_that_come_late_after_all_are_no_negative_loss() -> None:
    rates = rates_of(deque([(10.0, counts(lost=9)), (12.0, counts(lost=4))]))
    assert rates["lost"] == 0.0


def test_of_one_reading_alone_nothing_is_known() -> None:
    assert set(rates_of(deque([(10.0, counts(sent=100))])).values()) == {0.0}
    assert set(rates_of(None).values()) == {0.0}
