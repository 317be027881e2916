"""Why the beginning of a lane is missing, or all of it."""

import pytest
from beginnings_told import BEGINNINGS
from hopwatch_judge.deciding import Decision, decided


@pytest.mark.parametrize("known", BEGINNINGS)
def test_a_beginning_is_told_for_what_is_known_of_it(known: str) -> None:
    clues, cause, exact = BEGINNINGS[known]
    assert decided(clues) == Decision(cause, exact)
