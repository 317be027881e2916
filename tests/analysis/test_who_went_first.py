"""What is missing at the end of a stream: who had it when it was lost, and where that cannot be told."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def killed_proxy_after_a_flap(story: LandedFolder) -> None:
    """The PUB's connection to the proxy broke and was mended long before the proxy was killed."""
    story.socket("tick", "PUB", closed=110)
    story.socket("fx", "XSUB")
    story.socket("bx", "XPUB", probed=False)
    story.proxy("px", "fx", "bx")
    story.socket("tock", "SUB", closed=112)
    story.subscribe("tock", "")
    story.link("fx", "tick", down=5)
    story.link("fx", "tick", up=6, down=100)
    story.link("bx", "tock", down=100)
    for side in ("fx", "bx"):
        story.killed(side, 100.5)
    story.sent("tick", 1000, 99.9)
    story.got("tock", "tick", 900, 0, 899, 99.5)


def flap_and_a_queue(story: LandedFolder, push: str, pull: str, *, killed: bool) -> None:
    """Nothing was lost when the connection broke after 100 messages; at the end 200 are queued."""
    story.socket(push, "PUSH")
    story.socket(pull, "PULL")
    story.link(push, pull, down=5)
    story.link(push, pull, up=6, sent=100, down=106 if killed else None)
    story.sent(push, 1000, 105, final=killed)
    story.got(pull, push, 800, 0, 799, 105 if killed else 119.9, final=False)
    if killed:
        story.killed(push, 106)


def killed_behind_a_closed_feed(story: LandedFolder) -> None:
    """The PUB had closed in good order; its reader was still reading what it had got when it was killed."""
    story.socket("archive", "PUB", closed=50)
    story.socket("scholar", "SUB")
    story.subscribe("scholar", "")
    story.link("archive", "scholar", down=50)
    story.sent("archive", 1000, 49.9)
    story.got("scholar", "archive", 600, 0, 599, 59.9, newest=45, final=False)
    story.killed("scholar", 60.5)


def cut_by_clocks_that_are_a_little_apart(story: LandedFolder) -> None:
    """Both saw the cut. The SUB's clock is 0.2 s behind the PUB's, too little to be corrected; it closed 0.1 s after the PUB."""
    story.socket("dike", "PUB", host="upper dike", closed=44.5)
    story.socket("polder", "SUB", host="lower dike", closed=44.4)
    story.subscribe("polder", "")
    connection = ToldConnection(story, "dike", "polder")
    connection.down(40, 360, told_by="dike")
    connection.down(39.8, told_by="polder")
    story.sent("dike", 1000, 44)
    story.got("polder", "dike", 350, 0, 349, 44.4)


def closed_with_some_unread(story: LandedFolder) -> None:
    """A PUSH was killed; its worker took a second for each message, and left some unread when it was closed."""
    story.socket("feeder", "PUSH")
    story.socket("dawdler", "PULL", closed=60, unread=True)
    story.link("feeder", "dawdler", down=50)
    story.sent("feeder", 100, 49, final=False)
    story.killed("feeder", 50)
    story.got("dawdler", "feeder", 40, 0, 39, 59)


def ends_by_clocks_that_nothing_compares(story: LandedFolder, push: str, pull: str, *, apart: float) -> None:
    """No connection of theirs is known; the PULL lacks the last 100 messages."""
    story.socket(push, "PUSH", host=f"host of {push}", closed=50)
    story.socket(pull, "PULL", host=f"host of {pull}", closed=50 + apart, unread=False)
    story.sent(push, 1000, 49)
    story.got(pull, push, 900, 0, 899, 48)


def killed_behind_a_proxy_and_found_dead_later(story: LandedFolder, press: str, *, found_dead: float) -> None:
    """The proxy saw one of its two workers go at once, and was there for some seconds more; that worker's agent noticed later."""
    front, back, folder, binder = (f"{name} of {press}" for name in ("front", "back", "folder", "binder"))
    story.socket(press, "PUSH", closed=41, linger=-1)
    story.socket(front, "PULL", closed=44.5)
    story.socket(back, "PUSH", closed=44.5)
    story.proxy(f"table of {press}", front, back)
    story.socket(folder, "PULL", closed=43)
    story.socket(binder, "PULL")
    story.link(press, front, down=41)
    story.link(back, folder, down=43)
    ToldConnection(story, back, binder).down(40, told_by=back)
    story.sent(press, 330, 40.9)
    story.got(folder, press, 215, 1, 329, 42.9, newest=40.9)
    story.got(binder, press, 95, 0, 188, 39.5, newest=39)
    story.killed(binder, found_dead)
    for socket in (press, front, back, folder, binder):
        story.watched(socket)
    story.counters(front, 44, final=True, proxied_in_frames=660)
    story.counters(back, 44, final=True, proxied_out_frames=660)


def all_of_them(story: LandedFolder) -> None:
    killed_behind_a_proxy_and_found_dead_later(story, "press", found_dead=42)
    killed_behind_a_proxy_and_found_dead_later(story, "stamp", found_dead=44.8)
    killed_behind_a_proxy_and_found_dead_later(story, "die", found_dead=46)
    killed_proxy_after_a_flap(story)
    flap_and_a_queue(story, "orders", "desk", killed=False)
    flap_and_a_queue(story, "claims", "office", killed=True)
    killed_behind_a_closed_feed(story)
    cut_by_clocks_that_are_a_little_apart(story)
    closed_with_some_unread(story)
    ends_by_clocks_that_nothing_compares(story, "mint", "bank", apart=1)
    ends_by_clocks_that_nothing_compares(story, "mine", "smelter", apart=15)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def told(report: Json) -> str:
    return "\n".join(item["text"] for incident in report["incidents"] for item in incident["evidence"])


def test_a_cut_that_was_mended_does_not_tell_which_side_of_a_killed_proxy_lost_it(report: Json) -> None:
    assert incidents(report, "tick") == []
    assert row(report, "tick", "tock")["unexplained"] == 100


def test_who_closed_a_little_later_is_owed_what_was_sent_though_its_clock_says_otherwise(
    report: Json,
) -> None:
    assert incidents(report, "dike") == [("dike → polder", "reconnect", "inferred", 650)]


def test_a_cut_that_was_mended_takes_nothing_of_what_is_queued_later(report: Json) -> None:
    assert incidents(report, "orders") == []
    assert row(report, "orders", "desk")["in_flight"] == 200


def test_nor_of_what_the_sender_took_along_unless_the_office_that_is_still_open_has_it_unread(
    report: Json,
) -> None:
    assert incidents(report, "claims") == [("claims → office", "sender_died", "inferred", 200)]
    assert "office is still open: it may have some of them, and not have read them yet" in told(report)
    assert "desk is still open" not in told(report)


def test_a_receiver_that_says_it_left_some_unread_had_not_read_all_however_long_it_had_got_nothing(
    report: Json,
) -> None:
    assert incidents(report, "feeder") == [("feeder → dawdler", "closed", "inferred", 60)]


@pytest.mark.parametrize("press", ["press", "stamp"])
def test_who_was_seen_to_go_before_sender_and_proxy_closed_is_not_told_to_have_gone_later(
    report: Json, press: str
) -> None:
    hop = f"table of {press} → binder of {press}"
    assert incidents(report, f"table of {press}") == [(hop, "receiver_died", "exact", 20)]
    [incident] = [incident for incident in report["incidents"] if incident["hop"] == hop]
    assert incident["started_at"] == "2026-05-04T12:00:40Z"


def test_who_was_found_dead_long_after_may_have_lost_it_to_the_proxys_end(report: Json) -> None:
    assert incidents(report, "table of die") == []
    assert row(report, "die", None)["unexplained"] == 20


def test_who_was_reading_when_it_was_killed_may_have_held_what_its_closed_sender_had_passed_on(
    report: Json,
) -> None:
    assert incidents(report, "archive") == [("archive → scholar", "receiver_died", "inferred", 400)]


def test_whose_end_took_shared_out_messages_is_not_told_by_clocks_that_nothing_compares(report: Json) -> None:
    assert incidents(report, "mint") == []
    assert row(report, "mint", "bank")["unexplained"] == 100


def test_but_where_more_than_clocks_may_differ_by_lies_between(report: Json) -> None:
    assert incidents(report, "mine") == [("mine → smelter", "closed", "inferred", 100)]
