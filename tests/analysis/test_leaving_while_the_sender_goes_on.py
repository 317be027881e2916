"""Who leaves while its sender goes on is owed what was sent until then, whatever tells when that was."""

import pytest
from landed_folder import LandedFolder, at, id_of
from stories import Json, incidents, row
from told_connections import ENDPOINT, ToldConnection, proxied, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

ENDS = 120


def left_a_proxy(story: LandedFolder, pub: str, sub: str, *, killed: bool) -> None:
    """It read all that was sent in 50 s; the PUB goes on, and another SUB reads on."""
    witness = f"witness of {pub}"
    _, behind = proxied(story, pub, sub, closed=None if killed else 50)
    behind.down(50, told_by=f"{pub}-back")
    story.socket(witness, "SUB")
    story.subscribe(witness, "")
    ToldConnection(story, f"{pub}-back", witness)
    sampled(story, pub, 100, 119)
    story.got(sub, pub, 5000, 0, 4999, 50, newest=49.99)
    story.got(witness, pub, 11_900, 0, 11_899, 119.1, newest=119, final=False)
    if killed:
        story.killed(sub, 50.4)


def left_just_behind_the_last(
    story: LandedFolder, pub: str, sub: str, host: str, *, killed: bool = True
) -> None:
    """It read until 49; at 50.1 it was killed, or told to disconnect, a tenth of a second after a sample of what its PUB had sent."""
    _, behind = proxied(story, pub, sub, host=host)
    behind.down(50.1, told_by=f"{pub}-back")
    sampled(story, pub, 100, 50)
    story.got(sub, pub, 4900, 0, 4899, 49, newest=48.99)
    if killed:
        story.killed(sub, 50.4)
    else:
        story.add("endpoint", sub, 50.1, action="disconnect", endpoint=ENDPOINT)


def left_within_its_process(story: LandedFolder) -> None:
    """No monitor tells of inproc connections."""
    story.socket("core", "PUB")
    story.socket("log", "SUB", closed=50)
    story.homes["log"] = story.homes["core"]
    for opened in story.rows["socket"]:
        if opened["socket"] == id_of("log"):
            opened["process"] = id_of(story.homes["core"][0])
    story.subscribe("log", "")
    story.add("endpoint", "core", 0, action="bind", endpoint="inproc://log")
    story.add("endpoint", "log", 0, action="connect", endpoint="inproc://log")
    sampled(story, "core", 100, 119)
    story.got("log", "core", 5000, 0, 4999, 50, newest=49.99)


def pub_and_sub(story: LandedFolder, pub: str, sub: str, *, closed: float | None = None) -> None:
    story.socket(pub, "PUB")
    story.socket(sub, "SUB", closed=closed)
    story.subscribe(sub, "")


def connected_twice(story: LandedFolder) -> None:
    """A way between went dead without a word: it connected anew at 26, and closed at 50. The PUB gave the first connection up at 90."""
    pub_and_sub(story, "coast", "lighter", closed=50)
    first = ToldConnection(story, "coast", "lighter")
    first.down(25, told_by="lighter")
    ToldConnection(story, "coast", "lighter", up=26, sent=1300).down(50, 2500, told_by="coast")
    first.down(90, 4500, told_by="coast")
    sampled(story, "coast", 50, 100)
    story.gap("lighter", "coast", 1000, 1299, (20, 26))
    story.got("lighter", "coast", 2200, 0, 2499, 49.9, newest=49.9)


def moved_to_another_address(story: LandedFolder) -> None:
    """It connected to another address of its PUB before it left the old one; some messages are in its inbox."""
    pub_and_sub(story, "mill", "baker")
    first = ToldConnection(story, "mill", "baker")
    ToldConnection(story, "mill", "baker", up=29, sent=2900)
    first.down(30, 3000, told_by="mill")
    story.sent("mill", 10_000, 100, final=False)
    story.got("baker", "mill", 9950, 0, 9949, 100, newest=99.5, final=False)


def told_to_disconnect(story: LandedFolder) -> None:
    pub_and_sub(story, "gazette", "reader")
    ToldConnection(story, "gazette", "reader").down(30, 1000, told_by="gazette")
    story.add("endpoint", "reader", 30, action="disconnect", endpoint="tcp://127.0.0.1:5555")
    sampled(story, "gazette", 34, 29)
    story.sent("gazette", 5000, 119, final=False)
    story.got("reader", "gazette", 1000, 0, 999, 30, newest=29.99, final=False)


def unwrapped(story: LandedFolder) -> None:
    """What it had not read by then it may have read since."""
    story.socket("drum", "PUB")
    story.socket("ear", "SUB", closed=50, unread=None)
    story.subscribe("ear", "")
    ToldConnection(story, "drum", "ear")
    story.sent("drum", 1000, 49.5, final=False)
    story.sent("drum", 2000, 119, final=False)
    story.got("ear", "drum", 900, 0, 899, 50, newest=45)


def killed_with_some_unread(story: LandedFolder) -> None:
    """Its PUB goes on, with another reader."""
    pub_and_sub(story, "siren", "diner")
    ToldConnection(story, "siren", "diner").down(40, 2000, told_by="siren")
    sampled(story, "siren", 50, 119)
    story.got("diner", "siren", 1970, 0, 1969, 39.9, newest=39.3)
    story.killed("diner", 40.4)


def all_of_them(story: LandedFolder) -> None:
    left_a_proxy(story, "one", "leaver", killed=False)
    left_a_proxy(story, "other", "slain", killed=True)
    for tell in (left_within_its_process, connected_twice, moved_to_another_address):
        tell(story)
    told_to_disconnect(story)
    unwrapped(story)
    killed_with_some_unread(story)
    left_just_behind_the_last(story, "hut", "hiker", host="box")
    left_just_behind_the_last(story, "tower", "diver", host="tower")
    left_just_behind_the_last(story, "barn", "swallow", host="box", killed=False)
    left_just_behind_the_last(story, "dovecote", "pigeon", host="dovecote", killed=False)


STORIES = (all_of_them,)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize(
    ("pub", "sub", "owed"),
    [
        ("one", "leaver", 5000),
        ("other", "slain", 5000),
        ("core", "log", 5000),
        ("gazette", "reader", 1000),
    ],
)
def test_nothing_is_owed_that_was_sent_after_it_had_left(report: Json, pub: str, sub: str, owed: int) -> None:
    found = row(report, pub, sub)
    assert found["sent"] == owed
    assert found["sent"] - found["delivered"] < 600


def told_at(seconds: float) -> str:
    return at(seconds).isoformat().replace("+00:00", "Z")


def test_its_loss_was_over_when_it_had_left(report: Json) -> None:
    (found,) = (item for item in report["incidents"] if item["hop"] == "siren → diner")
    assert (found["cause"], found["certainty"], found["lost"]) == ("receiver_died", "exact", 30)
    assert (found["started_at"], found["ended_at"]) == (told_at(39.3), told_at(40))


@pytest.mark.parametrize(("pub", "sub"), [("one", "leaver"), ("other", "slain"), ("core", "log")])
def test_who_had_read_all_by_then_lost_nothing(report: Json, pub: str, sub: str) -> None:
    assert row(report, pub, sub)["lost"] == 0


def test_a_connection_given_up_late_is_not_when_the_receiver_left(report: Json) -> None:
    found = row(report, "coast", "lighter")
    assert (found["sent"], found["lost"], found["unexplained"]) == (2500, 300, 0)
    assert incidents(report, "coast") == [("coast → lighter", "reconnect", "inferred", 300)]


def test_nothing_is_lost_with_a_connection_beside_another_that_stays(report: Json) -> None:
    assert incidents(report, "mill") == []
    assert row(report, "mill", "baker")["in_flight"] == 50


def test_what_an_unwrapped_receiver_had_not_read_is_not_surely_lost(report: Json) -> None:
    assert incidents(report, "drum") == [("drum → ear", "closed", "inferred", 100)]


@pytest.mark.parametrize(("pub", "sub"), [("hut", "hiker"), ("barn", "swallow")])
def test_one_clock_tells_what_was_sent_just_before_a_receiver_left(report: Json, pub: str, sub: str) -> None:
    found = row(report, pub, sub)
    assert (found["lost"], found["unexplained"]) == (100, 0)


@pytest.mark.parametrize(("pub", "sub"), [("tower", "diver"), ("dovecote", "pigeon")])
def test_two_clocks_do_not_tell_so_finely(report: Json, pub: str, sub: str) -> None:
    found = row(report, pub, sub)
    assert (found["lost"], found["unexplained"]) == (0, 100)
