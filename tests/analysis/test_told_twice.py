"""Two agents may tell of one gap."""

import pytest
from landed_folder import LandedFolder
from stories import Json, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def gap_of_two_agents(story: LandedFolder) -> None:
    pub_sub(story, "ephemeris", "stargazer")
    story.sent("ephemeris", 100, 40)
    story.onset("ephemeris", 30, 20)
    for _agent in range(2):
        story.gap("stargazer", "ephemeris", 30, 39, (20, 21))
    story.got("stargazer", "ephemeris", 91, 0, 100, 45)


STORIES = (gap_of_two_agents,)


def test_its_messages_are_lost_once(joint_report: Json) -> None:
    found = row(joint_report, "ephemeris", "stargazer")
    assert (found["lost"], found["unexplained"]) == (10, 0)
