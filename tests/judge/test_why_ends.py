"""Why the end of a lane is missing."""

import pytest
from ends_told import ENDS
from hopwatch_judge.deciding import Decision, decided


@pytest.mark.parametrize("known", ENDS)
def test_an_end_is_told_for_what_is_known_of_it(known: str) -> None:
    clues, cause, exact = ENDS[known]
    assert decided(clues) == Decision(cause, exact)
