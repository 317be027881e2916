"""What is missing of a shared-out stream is only told to be somebody's where nobody else may have it in an inbox."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import ToldConnection

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def scaled_down(story: LandedFolder) -> None:
    """One of two workers was closed with nothing left to read; the other reads on, with 800 to come."""
    story.socket("s1", "PUSH")
    story.socket("s1-idle", "PULL", closed=30)
    story.socket("s1-busy", "PULL")
    ToldConnection(story, "s1", "s1-idle").down(30, 2000, told_by="s1")
    ToldConnection(story, "s1", "s1-busy")
    story.sent("s1", 2000, 30, final=False)
    story.sent("s1", 2010, 119, final=False)
    story.got("s1-idle", "s1", 1000, 0, 1999, 29.9)
    story.got("s1-busy", "s1", 200, 1, 399, 119.5, newest=5, final=False)


def killed_beside_another_that_had_a_backlog(story: LandedFolder, push: str, *, hung: bool) -> None:
    """The other worker hung and was killed later, or was closed with some unread."""
    dead, other = f"{push}-dead", f"{push}-other"
    story.socket(push, "PUSH", closed=50, linger=-1)
    story.socket(dead, "PULL")
    story.socket(other, "PULL", closed=None if hung else 60, unread=True)
    ToldConnection(story, push, dead).down(30, 2000, told_by=push)
    beside = ToldConnection(story, push, other)
    story.sent(push, 2000, 30)
    story.got(dead, push, 990, 0, 1979, 29.9)
    story.killed(dead, 30.4)
    story.got(other, push, 450, 1, 899, 20 if hung else 59.9)
    if hung:
        story.killed(other, 60.5)
    else:
        beside.down(50, told_by=other)


def worker_that_nobody_tells_of(story: LandedFolder) -> None:
    """It is on a host with no agent."""
    story.socket("s4", "PUSH", closed=50, linger=-1)
    story.socket("s4-known", "PULL", closed=60)
    ToldConnection(story, "s4", "s4-known").down(50, told_by="s4-known")
    story.one_end("s4", 0.2, "10.0.0.1:5555", "10.0.0.9:40000", endpoint="tcp://0.0.0.0:5555", accepted=True)
    story.sent("s4", 1000, 49)
    story.got("s4-known", "s4", 500, 0, 998, 49.1)


def port_probed(story: LandedFolder) -> None:
    """Somebody looked whether the port was open."""
    story.socket("s6", "PUSH", closed=50, linger=0)
    story.socket("s6-worker", "PULL", closed=60)
    ToldConnection(story, "s6", "s6-worker").down(50, told_by="s6-worker")
    story.one_end("s6", 0.2, "10.0.0.1:5555", "10.0.0.9:40000", endpoint="tcp://0.0.0.0:5555", accepted=True)
    about = {"local": "10.0.0.1:5555", "remote": "10.0.0.9:40000", "connection": story.connections}
    story.add("connection", "s6", 0.3, action="disconnected", sent=0, received=0, **about)
    story.sent("s6", 1000, 49)
    story.got("s6-worker", "s6", 500, 0, 499, 49.1)


def lagging_behind_a_flap(story: LandedFolder) -> None:
    """It is still reading what came before its connection was cut and mended."""
    story.socket("s5", "PUSH")
    story.socket("s5-worker", "PULL")
    ToldConnection(story, "s5", "s5-worker").down(30, 1000)
    ToldConnection(story, "s5", "s5-worker", up=31, sent=1000)
    story.sent("s5", 1000, 29, final=False)
    story.got("s5-worker", "s5", 600, 0, 599, 119.5, newest=20, final=False)


def flap_beside_a_lagging_worker(story: LandedFolder) -> None:
    story.socket("s7", "PUSH")
    for worker in ("s7-flapped", "s7-lags"):
        story.socket(worker, "PULL")
    ToldConnection(story, "s7", "s7-flapped").down(30, 2000)
    ToldConnection(story, "s7", "s7-flapped", up=31, sent=2000)
    ToldConnection(story, "s7", "s7-lags")
    story.sent("s7", 2000, 30, final=False)
    story.sent("s7", 2010, 119, final=False)
    story.got("s7-flapped", "s7", 1010, 0, 2009, 119.1, final=False)
    story.got("s7-lags", "s7", 200, 1, 399, 119.5, newest=5, final=False)


def term_of_another_thread(story: LandedFolder) -> None:
    """The PUSH was killed; its worker's context was ended from another thread while it was busy: what was unread then is not known."""
    story.socket("s8", "PUSH")
    story.socket("s8-worker", "PULL", closed=52, unread=None)
    ToldConnection(story, "s8", "s8-worker").down(49, told_by="s8-worker")
    story.sent("s8", 100, 48)
    story.killed("s8", 49.4)
    story.got("s8-worker", "s8", 40, 0, 39, 49)


def restarted_one_by_one(story: LandedFolder, push: str, *, joins: bool) -> None:
    """One worker left with nothing unread; of those that read on, one has 300 to come: it came later, or is the slower one."""
    story.socket(push, "PUSH")
    left, quick, slow = (f"{push}-{name}" for name in ("left", "quick", "slow"))
    story.socket(left, "PULL", closed=30)
    for worker in (quick, slow):
        story.socket(worker, "PULL")
    ToldConnection(story, push, left).down(30, 1000, told_by=push)
    ToldConnection(story, push, quick)
    ToldConnection(story, push, slow, up=31 if joins else 0.1, sent=1000 if joins else 0)
    story.sent(push, 1000, 30, final=False)
    story.sent(push, 2000, 119, final=False)
    story.got(left, push, 500 if joins else 400, 0, 999, 29.9)
    story.got(quick, push, 1000 if joins else 800, 1, 1999, 119.4, final=False)
    story.got(slow, push, 200 if joins else 500, 1001 if joins else 2, 1399, 119.5, newest=60, final=False)


def replying_to_several(story: LandedFolder) -> None:
    """A REQ that had all its replies left; the reply to another one is still to be read."""
    story.socket("s11", "REP")
    story.socket("s11-left", "REQ", closed=30)
    for asker in ("s11-quick", "s11-slow"):
        story.socket(asker, "REQ")
    ToldConnection(story, "s11", "s11-left").down(30, 1000, told_by="s11")
    for asker in ("s11-quick", "s11-slow"):
        ToldConnection(story, "s11", asker)
    story.sent("s11", 1000, 30, final=False)
    story.sent("s11", 2000, 119, final=False)
    story.got("s11-left", "s11", 300, 0, 899, 25)
    story.got("s11-quick", "s11", 1299, 1, 1999, 119.4, final=False)
    story.got("s11-slow", "s11", 400, 2, 1500, 110, newest=110, final=False)


def killed_beside_workers_that_read_on(story: LandedFolder) -> None:
    """The two others have passed all that was sent before one was killed, and have read all but the last message."""
    story.socket("s12", "PUSH")
    dead, *others = ("s12-dead", "s12-one", "s12-two")
    story.socket(dead, "PULL")
    for worker in others:
        story.socket(worker, "PULL")
        ToldConnection(story, "s12", worker)
    ToldConnection(story, "s12", dead).down(30, 900, told_by="s12")
    story.killed(dead, 30.4)
    story.sent("s12", 900, 30, final=False)
    story.sent("s12", 2001, 119.6, final=False)
    story.got(dead, "s12", 280, 0, 838, 29.9)
    for place, worker in enumerate(others):
        story.got(worker, "s12", 850, 1 + place, 1998 + place, 119.5, final=False)


def all_of_them(story: LandedFolder) -> None:
    scaled_down(story)
    killed_beside_another_that_had_a_backlog(story, "s2", hung=True)
    killed_beside_another_that_had_a_backlog(story, "s3", hung=False)
    worker_that_nobody_tells_of(story)
    lagging_behind_a_flap(story)
    port_probed(story)
    flap_beside_a_lagging_worker(story)
    term_of_another_thread(story)
    restarted_one_by_one(story, "s9", joins=True)
    restarted_one_by_one(story, "s10", joins=False)
    replying_to_several(story)
    killed_beside_workers_that_read_on(story)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def of_stream(report: Json, name: str) -> dict[str, int]:
    rows = [item for item in report["ledger"] if item["name"] == name]
    return {term: sum(item[term] for item in rows) for term in ("lost", "in_flight", "unexplained")}


@pytest.mark.parametrize(
    ("push", "in_flight", "unexplained"),
    [("s1", 0, 810), ("s2", 0, 560), ("s3", 0, 560), ("s4", 0, 500), ("s5", 400, 0), ("s7", 800, 0)],
)
def test_it_is_nobodys_in_particular(report: Json, push: str, in_flight: int, unexplained: int) -> None:
    assert incidents(report, push) == []
    assert of_stream(report, push) == {"lost": 0, "in_flight": in_flight, "unexplained": unexplained}


def test_who_only_looked_whether_the_port_was_open_received_nothing(report: Json) -> None:
    assert incidents(report, "s6") == [("s6 → s6-worker", "closed", "exact", 500)]


def test_silence_is_no_proof_where_it_is_not_known_what_was_left_unread(report: Json) -> None:
    assert incidents(report, "s8") == [("s8 → s8-worker", "sender_died", "inferred", 60)]
    assert row(report, "s8", "s8-worker")["lost"] == 60


@pytest.mark.parametrize(("sender", "to_come"), [("s9", 300), ("s10", 300), ("s11", 1)])
def test_who_left_is_not_told_to_have_lost_what_another_may_be_about_to_read(
    report: Json, sender: str, to_come: int
) -> None:
    assert incidents(report, sender) == []
    assert of_stream(report, sender) == {"lost": 0, "in_flight": 0, "unexplained": to_come}


def test_who_was_killed_lost_what_the_others_had_passed(report: Json) -> None:
    assert incidents(report, "s12") == [("s12 → s12-dead", "receiver_died", "exact", 20)]
    assert of_stream(report, "s12") == {"lost": 20, "in_flight": 0, "unexplained": 1}
