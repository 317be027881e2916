"""Every kind of story there is, in small fleets with clocks that are wrong: the report equals the truth."""

from typing import Any

import pytest
from hopwatch_analysis.job import analyze
from hopwatch_simulate.fleet import ALL, Drawn, draw, simulate
from hopwatch_simulate.landing import land
from hopwatch_simulate.score import Score
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

STORIES_OF_A_FLEET = 5
SEVERAL_LANES_END_TOGETHER = (20, 22, 25)
Json = dict[str, Any]


def small_fleets(seed: int) -> list[Drawn]:
    """Each story once, and once more those of which more depends on the seed."""
    names = sorted(ALL)
    stories = [
        tuple(names[first : first + STORIES_OF_A_FLEET]) for first in range(0, len(names), STORIES_OF_A_FLEET)
    ]
    fleets = [Drawn(seed + number, 3, 0.001, told, 3.0, number) for number, told in enumerate(stories)]
    more = [
        Drawn(
            each,
            draw(each).hosts,
            0.002,
            ("slow_before_a_proxy", "killed_proxy", "bursts"),
            3.0,
            each + len(fleets),
        )
        for each in SEVERAL_LANES_END_TOGETHER
    ]
    return fleets + more


@pytest.fixture(scope="module")
def score(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Score:
    folder = tmp_path_factory.mktemp("fleets")
    truth: Json = {"ledger": [], "hops": []}
    for drawn in small_fleets(700):
        fleet = simulate(drawn)
        place = folder / f"site-{drawn.site}"
        place.mkdir()
        land(fleet, place)
        truth["ledger"] += fleet.truth["ledger"]
        truth["hops"] += fleet.truth["hops"]
    found = Score()
    found.add(analyze(spark, [str(place) for place in folder.iterdir()], folder / "out"), truth)
    return found


def test_lost_and_unexplained_is_what_was_lost(score: Score) -> None:
    assert score.books > 100
    assert not [line for line in score.disagreements if line.startswith("books")]


def test_every_hop_that_lost_something_is_named_with_its_count_and_no_other(score: Score) -> None:
    assert score.hops.found > 40
    assert not [line for line in score.disagreements if line.startswith(("hop", "count"))]


def test_causes_are_the_true_ones_and_exact_ones_are_never_wrong(score: Score) -> None:
    assert score.exact > 10
    assert not [line for line in score.disagreements if line.startswith(("cause", "wrong exact", "kill"))]
