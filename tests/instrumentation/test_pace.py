"""How promptly the background thread does what can wait: by how often it was woken, and by what it takes of a core."""

import pytest
from hopwatch.monitors.pace import LONGEST_PAUSE, SHORTEST_PAUSE, Pace


def paced(share: float, seconds: int = 10) -> Pace:
    """After so long at such a share of a core."""
    pace = Pace()
    for tenth in range(seconds * 10):
        pace.adapt(tenth / 10, tenth / 10 * share)
    return pace


@pytest.mark.parametrize(
    ("share", "pause"),
    [(0.0, SHORTEST_PAUSE), (0.002, SHORTEST_PAUSE), (0.1, LONGEST_PAUSE), (1.0, LONGEST_PAUSE)],
)
def test_pauses_are_as_long_as_the_share_of_a_core_asks(share: float, pause: float) -> None:
    assert paced(share).pause == pause


def test_pauses_are_short_again_once_there_is_little_to_do() -> None:
    pace = paced(share=0.1)
    for tenth in range(100):
        pace.adapt(10 + tenth / 10, 1.0)
    assert pace.pause == SHORTEST_PAUSE


def test_few_wake_ups_are_prompt_and_many_are_not() -> None:
    few, many = Pace(), Pace()
    assert all(few.is_prompt() for _ in range(100))
    assert not all(many.is_prompt() for _ in range(1000))


def test_what_waits_for_long_is_done_at_the_end_of_a_pause_with_the_others() -> None:
    pace = paced(share=0.1)
    assert [pace.next_time(now, 0.3) for now in (80.01, 80.3, 80.7)] == pytest.approx([80.8] * 3)


def test_what_waits_for_less_than_a_pause_is_not_kept_waiting() -> None:
    assert paced(share=0.1).next_time(80.0, 0.05) == pytest.approx(80.05)
