"""ZMQ_ROUTER_HANDOVER: who comes with a routing id that another one has gets all from then on, and that one stays connected."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def restart(
    story: LandedFolder, router: str, *, former_ends: float | None = 25, former_got: int = 100
) -> None:
    """The later one came when 100 had been sent, the former one went at 250, and then 50 more were sent."""
    story.socket(router, "ROUTER", closed=former_ends and 50)
    former, later = f"blue of {router}", f"green of {router}"
    story.socket(former, "DEALER", closed=former_ends, unread=former_got < 100)
    story.socket(later, "DEALER", opened=9, closed=former_ends and 60)
    story.link(router, former, down=former_ends, sent=0)
    story.link(router, later, up=10, sent=100)
    for seconds, count in ((10, 100), (24.9, 250), (40, 300)):
        story.sent(router, count, seconds, topic="worker", final=False)
    story.got(former, router, former_got, 0, former_got - 1, 12, newest=9.9)
    story.got(later, router, 200, 100, 299, 41, newest=40)


def back_and_forth(story: LandedFolder) -> None:
    """The second one misses some in the middle of what was its turn."""
    story.socket("swing", "ROUTER", closed=50)
    for worker, up, came, first, last in (("left", 0.1, 200, 0, 299), ("right", 10, 95, 100, 199)):
        story.socket(worker, "DEALER", closed=60)
        story.link("swing", worker, up=up)
        story.got(worker, "swing", came, first, last, 45)
    story.link("swing", "left", up=20)
    story.gap("left", "swing", 100, 199, (9.9, 20))
    story.gap("right", "swing", 150, 154, (15, 15.1))
    story.onset("swing", 150, 15)
    story.sent("swing", 300, 40, topic="worker")


def by_one_who_read_nothing(story: LandedFolder) -> None:
    story.socket("unlucky", "ROUTER", closed=50)
    story.add("option", "unlucky", 0.05, option="router_handover", value="1")
    story.socket("busy successor", "DEALER", closed=25)
    story.socket("idle successor", "DEALER", opened=9)
    story.link("unlucky", "busy successor", down=25, sent=0)
    story.link("unlucky", "idle successor", up=10, down=40, sent=100)
    story.sent("unlucky", 250, 24.9, topic="worker", final=False)
    story.sent("unlucky", 250, 40, topic="worker")
    story.got("busy successor", "unlucky", 100, 0, 99, 12, newest=9.9)
    story.killed("idle successor", 40.5)


def all_of_them(story: LandedFolder) -> None:
    restart(story, "rolling")
    restart(story, "hasty", former_got=90)
    restart(story, "lasting", former_ends=None)
    back_and_forth(story)
    by_one_who_read_nothing(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def books(report: Json, router: str, worker: str) -> tuple[int, int, Json]:
    found = row(report, router, worker)
    return found["sent"], found["delivered"], found["causes"]


@pytest.mark.parametrize("router", ["rolling", "lasting"])
def test_the_former_owner_is_not_owed_what_the_later_one_got(report: Json, router: str) -> None:
    assert books(report, router, f"blue of {router}") == (100, 100, {})
    assert books(report, router, f"green of {router}") == (200, 200, {})


def test_what_the_former_owner_left_unread_may_have_been_the_later_ones(report: Json) -> None:
    assert incidents(report, "hasty") == [("hasty → blue of hasty", "closed", "inferred", 10)]


def test_each_is_owed_what_was_sent_in_its_turn(report: Json) -> None:
    assert books(report, "swing", "left") == (200, 200, {})
    assert books(report, "swing", "right")[:2] == (100, 95)


def test_where_another_may_have_been_sent_it_nobody_is_told_to_have_lost_it(report: Json) -> None:
    assert books(report, "unlucky", "busy successor") == (250, 100, {"unexplained": 150})
