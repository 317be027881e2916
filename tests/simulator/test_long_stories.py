"""Stories that last: receivers that are too slow for much longer than a burst, and others that look so."""

from itertools import pairwise

import pytest
from hopwatch_simulate.fleet import Fleet
from hopwatch_simulate.situations import LASTING
from small_fleets import of_story, rows

OVERWHELMED = sorted(name for name in LASTING if name.startswith("overwhelmed"))
ONLY_BURSTS = sorted(set(LASTING) - set(OVERWHELMED))
WITHOUT_A_PAUSE = 5.0
LASTS = 15.0


def causes(fleet: Fleet) -> set[str]:
    return {each["cause"] for hop in fleet.truth["hops"] for each in hop["causes"]}


@pytest.mark.parametrize("name", OVERWHELMED)
def test_who_is_overwhelmed_loses_messages_again_and_again_for_long(name: str) -> None:
    fleet = of_story(name)
    assert causes(fleet) == {"slow_receiver"}
    onsets = sorted(row["at"] for row in rows(fleet, "onset"))
    assert (onsets[-1] - onsets[0]).total_seconds() > LASTS - WITHOUT_A_PAUSE
    assert all((two - one).total_seconds() < WITHOUT_A_PAUSE for one, two in pairwise(onsets))


@pytest.mark.parametrize("name", ONLY_BURSTS)
def test_who_meets_bursts_for_as_long_gets_most_in_the_end_and_nothing_shows_a_slow_receiver(
    name: str,
) -> None:
    fleet = of_story(name)
    assert causes(fleet) == {"hwm_too_low"}
    onsets = sorted(row["at"] for row in rows(fleet, "onset"))
    assert (onsets[-1] - onsets[0]).total_seconds() > LASTS - WITHOUT_A_PAUSE


def test_who_polls_is_counted_to_have_waited_for_the_first_message_alone() -> None:
    fleet = of_story("polls_between_batches")
    assert max(row["waited_receives"] for row in rows(fleet, "counters")) == 1
