"""What the kernel said limited a hop when something was lost."""

import pytest
from hopwatch_judge.clues.kernel import Kernel
from hopwatch_judge.events import Reading

LOST_AT = 100.0


@pytest.mark.parametrize(
    ("told", "late", "limit"),
    [
        ([], True, None),
        ([(99.0, "network")], False, "network"),
        ([(100.9, "receiver")], False, "receiver"),
        ([(69.0, "network")], False, None),
        ([(99.0, "neither")], False, "neither"),
        ([(99.0, "neither"), (104.0, "receiver")], False, "receiver"),
        ([(99.0, "neither"), (106.0, "receiver")], False, "neither"),
        ([(98.0, "receiver"), (99.0, "unknown")], False, "receiver"),
        ([(110.0, "network")], True, "network"),
        ([(110.0, "network")], False, None),
        ([(116.0, "network")], True, None),
        ([(110.0, "receiver")], True, None),
        ([(99.0, "unknown"), (110.0, "network")], True, "network"),
        ([(98.0, "neither"), (99.0, "unknown"), (110.0, "network")], True, "network"),
        ([(98.0, "neither"), (102.0, "unknown"), (110.0, "network")], True, "network"),
        ([(98.0, "neither"), (106.0, "unknown"), (110.0, "network")], True, "neither"),
    ],
)
def test_a_reading_holds_until_another_is_told(
    told: list[tuple[float, str]], late: bool, limit: str | None
) -> None:
    kernel = Kernel([Reading("x", "y", at, limited_by) for at, limited_by in told])
    assert kernel.limit(LOST_AT, may_come_late=late) == limit


def test_of_a_loss_at_an_unknown_time_nothing_is_told() -> None:
    assert Kernel([Reading("x", "y", 99.0, "network")]).limit(None, may_come_late=True) is None
