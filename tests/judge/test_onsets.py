"""Which full pipes a loss tells of."""

import pytest
from hopwatch_judge.placing.onsets import latest_between, met_at, onsets_in_sparse_gaps, onsets_lost
from judged_proxies import full_at

ONSETS = [
    full_at(10, stream_number=110),
    full_at(20, stream_number=125),
    full_at(20, stream_number=126, at=21.0),
    full_at(30, stream_number=131),
]


@pytest.mark.parametrize(("number", "at"), [(10, 10.0), (20, 21.0), (9, None), (11, None), (31, None)])
def test_a_message_met_a_full_pipe_if_it_is_an_onset_itself(number: int, at: float | None) -> None:
    assert met_at(ONSETS, number) == at


@pytest.mark.parametrize(
    ("lost", "numbers"),
    [
        ([(10, 10)], [110]),
        ([(0, 9), (11, 19), (21, 29), (31, 99)], []),
        ([(5, 15), (20, 30)], [110, 125, 126, 131]),
    ],
)
def test_onsets_are_lost_with_their_own_message(lost: list[tuple[int, int]], numbers: list[int]) -> None:
    assert list(onsets_lost(ONSETS, lost)) == numbers


@pytest.mark.parametrize(
    ("gaps", "numbers"),
    [
        ([(109, 111)], [110]),
        ([(110, 125)], []),
        ([(120, 140), (100, 126)], [110, 125, 126, 131]),
        ([(None, 140), (100, None)], []),
    ],
)
def test_a_gap_of_sparse_stamps_may_lack_any_message_inside(
    gaps: list[tuple[int | None, int | None]], numbers: list[int]
) -> None:
    assert list(onsets_in_sparse_gaps(ONSETS, gaps)) == numbers


@pytest.mark.parametrize(
    ("before", "after", "latest"),
    [(109, 131, 125), (109, 132, 131), (110, 125, None), (131, 200, None), (0, 5, None), (None, 200, None), (0, None, None)],
)  # fmt: skip
def test_the_latest_onset_lies_strictly_between(
    before: int | None, after: int | None, latest: int | None
) -> None:
    assert latest_between([110, 125, 131], before, after) == latest
