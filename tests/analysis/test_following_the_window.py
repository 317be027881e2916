"""A window that moves past what made up the mind about a loss: what has landed stays, and does not land again."""

from pathlib import Path

import pytest
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.turns import Turns
from landed_folder import PAST, LandedFolder
from landed_steps import LandedSteps, landed_incidents, lost_by_cause
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

ENDS = 240
WAITED_AT = 30
LOSSES = ((150, 199, 20), (1450, 1479, 150))


def feed_of_a_reader_that_once_waited() -> LandedFolder:
    """10/s, of which it loses some at second 20 and at second 150. Between the two it had read all, as one sample tells and none later."""
    story = LandedFolder(start=PAST)
    story.socket("quotes", "PUB", host="near")
    story.socket("reader", "SUB", host="far")
    story.subscribe("reader", "")
    story.link("quotes", "reader")
    for first, last, second in LOSSES:
        story.onset("quotes", first, second)
        story.gap("reader", "quotes", first, last, (second, second + 2))
    for second in range(5, ENDS, 5):
        sent = second * 10
        got = sent - sum(last - first + 1 for first, last, _ in LOSSES if last < sent)
        story.sent("quotes", sent, second, final=False)
        story.got("reader", "quotes", got, 0, sent - 1, second, final=False)
        story.counters("quotes", second, sent=sent)
        story.counters("reader", second, received=got, waited_receives=int(second > WAITED_AT))
    return story


@pytest.mark.extended("minutes of turns")
def test_what_looks_otherwise_when_the_window_has_moved_on_does_not_land_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    steps = LandedSteps(feed_of_a_reader_that_once_waited(), tmp_path / "landed")
    job = Following((str(tmp_path / "landed"),), tmp_path / "out", guard=5, late=15, window=140)
    job.out.mkdir()
    for until in (206, 226):
        steps.land(until)
        assert Turns(spark, job, print, {}).take()
        assert lost_by_cause(landed_incidents(job.out)) == {
            ("quotes → reader", "hwm_too_low", "inferred"): 80
        }
