"""A receiver tells of a gap at once, and from time to time how far its lanes have come: the last gap may be the newer word, and may be told twice."""

import pytest
from landed_folder import LandedFolder
from stories import Json, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def loses_all_the_time(story: LandedFolder) -> None:
    """Its last sample is of 90 messages up to number 99; at 110 it had found ten more missing, and had got 91."""
    story.socket("seismograph", "PUB", sndhwm=50)
    story.socket("observatory", "SUB", closed=None)
    story.subscribe("observatory", "")
    story.link("seismograph", "observatory")
    story.sent("seismograph", 104, 119, final=False)
    story.onset("seismograph", 40, 100)
    story.gap("observatory", "seismograph", 40, 49, (100, 101), received=41)
    story.got("observatory", "seismograph", 90, 0, 99, 119, final=False, newest=119)
    story.onset("seismograph", 100, 119.1)
    story.gap("observatory", "seismograph", 100, 109, (119.1, 119.2), received=91)


def joined_and_lost_before_its_first_sample(story: LandedFolder) -> None:
    """It got numbers 20 to 29 and 35, and has told no more than that."""
    story.socket("tide gauge", "PUB")
    story.socket("harbour", "SUB", closed=None)
    story.subscribe("harbour", "", seconds=118.5)
    story.link("tide gauge", "harbour", up=118.5, sent=20)
    story.sent("tide gauge", 36, 119.5, final=False)
    story.announced("harbour", "tide gauge", 119)
    story.onset("tide gauge", 30, 119.1)
    story.gap("harbour", "tide gauge", 30, 34, (119.1, 119.2), received=11)


def gap_of_two_agents(story: LandedFolder) -> None:
    pub_sub(story, "ephemeris", "stargazer")
    story.sent("ephemeris", 100, 40)
    story.onset("ephemeris", 30, 20)
    for _agent in range(2):
        story.gap("stargazer", "ephemeris", 30, 39, (20, 21))
    story.got("stargazer", "ephemeris", 91, 0, 100, 45)


STORIES = (loses_all_the_time, joined_and_lost_before_its_first_sample, gap_of_two_agents)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def test_what_a_gap_tells_of_is_neither_in_flight_nor_counted_twice(report: Json) -> None:
    books = row(report, "seismograph", "observatory")
    assert (books["sent"], books["delivered"], books["lost"], books["in_flight"]) == (111, 91, 20, 0)


def test_it_tells_where_a_lane_began_that_no_sample_tells_of(report: Json) -> None:
    books = row(report, "tide gauge", "harbour")
    assert (books["delivered"], books["unexplained"]) == (11, 0)
    assert books["causes"] == {"slow_joiner": 20, "slow_receiver": 5}


def test_what_two_agents_tell_of_one_gap_is_lost_once(report: Json) -> None:
    found = row(report, "ephemeris", "stargazer")
    assert (found["lost"], found["unexplained"]) == (10, 0)
