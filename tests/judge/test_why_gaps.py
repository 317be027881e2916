"""Why messages are missing between others that came."""

import pytest
from gaps_told import GAPS
from hopwatch_judge.deciding import Decision, decided


@pytest.mark.parametrize("known", GAPS)
def test_a_gap_is_told_for_what_is_known_of_it(known: str) -> None:
    clues, cause, exact = GAPS[known]
    assert decided(clues) == Decision(cause, exact)
