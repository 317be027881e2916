"""What is done again and again keeps to its share of a core."""

import time

import pytest
from hopwatch_agent.pace import Pace
from hopwatch_agent.sampling import Moment


def at(clock: float, *, forced: bool = False) -> Moment:
    return Moment(wall=0, clock=clock, forced=forced)


def take(pace: Pace, clock: float, seconds: float) -> None:
    with pace.kept(at(clock)):
        began = time.thread_time()
        while time.thread_time() - began < seconds:
            pass


def test_what_takes_little_is_done_as_often_as_asked_for() -> None:
    pace = Pace(1.0, share=0.5)
    assert pace.is_due(at(0.0))
    for second in range(3):
        take(pace, float(second), 0.0)
        assert not pace.is_due(at(second + 0.9))
        assert pace.is_due(at(second + 1.0))


def test_what_takes_much_twice_is_done_more_seldom() -> None:
    pace = Pace(1.0, share=0.01)
    take(pace, 0.0, 0.02)
    assert pace.is_due(at(1.0))
    take(pace, 1.0, 0.02)
    assert not pace.is_due(at(2.5))
    assert pace.is_due(at(2.5, forced=True))
    take(pace, 10.0, 0.0)
    assert pace.is_due(at(11.0))


def test_it_is_kept_where_what_is_done_fails() -> None:
    pace = Pace(1.0, share=0.5)
    with pytest.raises(OSError, match="gone"), pace.kept(at(5.0)):
        raise OSError("gone")
    assert not pace.is_due(at(5.5))
