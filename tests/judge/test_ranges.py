"""Arithmetic on ranges of numbers."""

import time

import pytest
from hopwatch_judge.ranges import common, coverage, length, merged, points_in, rest_of, touches, without


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([], []),
        ([(5, 9), (0, 3)], [(0, 3), (5, 9)]),
        ([(0, 3), (4, 9)], [(0, 9)]),
        ([(0, 9), (2, 3)], [(0, 9)]),
        ([(5, 4)], []),
    ],
)
def test_ranges_are_put_together(ranges: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    assert merged(ranges) == expected


@pytest.mark.parametrize(
    ("holes", "expected"),
    [
        ([], [(10, 20)]),
        ([(0, 9), (21, 30)], [(10, 20)]),
        ([(10, 20)], []),
        ([(0, 12)], [(13, 20)]),
        ([(18, 25)], [(10, 17)]),
        ([(12, 13), (15, 16)], [(10, 11), (14, 14), (17, 20)]),
    ],
)
def test_holes_are_taken_out_of_a_range(
    holes: list[tuple[int, int]], expected: list[tuple[int, int]]
) -> None:
    assert list(rest_of(10, 20, holes)) == expected
    assert list(without([(10, 20)], holes)) == expected


@pytest.mark.parametrize(
    ("others", "expected"),
    [([], []), ([(0, 9)], []), ([(5, 12), (15, 15), (19, 40)], [(10, 12), (15, 15), (19, 20)])],
)
def test_what_two_have_in_common(others: list[tuple[int, int]], expected: list[tuple[int, int]]) -> None:
    assert list(common(10, 20, others)) == expected
    assert touches(10, 20, others) == bool(expected)


def test_points_in_a_range_are_those_from_its_first_to_its_last() -> None:
    assert points_in([1, 5, 6, 9, 12], 5, 9) == [5, 6, 9]


def test_coverage_tells_how_many_hold_each_stretch() -> None:
    assert list(coverage([(0, 9), (5, 14), (20, 20)])) == [(0, 4, 1), (5, 9, 2), (10, 14, 1), (20, 20, 1)]


def test_a_length_counts_both_ends() -> None:
    assert length([(0, 9), (20, 20)]) == 11


def test_a_million_holes_are_one_sweep() -> None:
    holes = [(10 * number, 10 * number + 4) for number in range(1_000_000)]
    began = time.process_time()
    assert length(rest_of(0, 10_000_000 - 1, holes)) == 5_000_000
    assert time.process_time() - began < 30
