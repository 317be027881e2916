"""Sizes and figures as people say them, and what a message takes in a queue."""

import pytest
from hopwatch_judge.costs import about, figure, size, takes_each


@pytest.mark.parametrize(
    ("bytes_", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (9960, "10 kB"),
        (1e6, "1 MB"),
        (2.5e9, "2.5 GB"),
    ],
)
def test_sizes(bytes_: float, words: str) -> None:
    assert size(bytes_) == words


@pytest.mark.parametrize(("number", "words"), [(0.123, "0.12"), (9.4, "9.4"), (10.4, "10"), (1234.5, "1234")])
def test_figures(number: float, words: str) -> None:
    assert figure(number) == words


@pytest.mark.parametrize(("mean_bytes", "takes"), [(1, 64), (33, 64), (34, 154), (1000, 1120)])
def test_what_a_message_takes(mean_bytes: int, takes: int) -> None:
    assert takes_each(mean_bytes) == takes


@pytest.mark.parametrize(("mean_bytes", "word"), [(999, "at least"), (1000, "about")])
def test_a_stamp_in_a_frame_of_its_own_counts_beside_small_messages(mean_bytes: int, word: str) -> None:
    assert about(mean_bytes) == word
