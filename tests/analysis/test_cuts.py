"""A connection was cut, and an end went later: which of the two lost the messages between is told no surer than it is known."""

from dataclasses import dataclass

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row
from told_connections import OPEN, PEERS, End, ToldConnection, proxied, sampled

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

RATE = 50


@dataclass(frozen=True)
class Cut:
    """A connection that went down for good, as the "sender" saw, the "receiver", or "both".

    What was sent from a second before on did not come. The sender goes on ``until`` a time, and its receiver reads
    ``another`` sender's messages until some time.
    """

    type: str
    at: int
    seen_by: str
    until: int
    sender: End = OPEN
    receiver: End = OPEN
    another: int | None = None
    linger: int | None = None
    lost: int = RATE

    def tell(self, story: LandedFolder, sender: str) -> None:
        receiver = f"{sender}: receiver"
        options = {} if self.linger is None else {"linger": self.linger}
        story.socket(sender, self.type, closed=self.sender.closed, **options)
        story.socket(receiver, PEERS[self.type], closed=self.receiver.closed)
        story.subscribe(receiver, "")
        connection = ToldConnection(story, sender, receiver)
        for end, name in (("sender", sender), ("receiver", receiver)):
            if self.seen_by in (end, "both"):
                connection.down(self.at, RATE * self.at, told_by=name)
        came = RATE * (self.at - 1)
        story.got(receiver, sender, came, 0, came - 1, self.at - 0.7, newest=self.at - 1.01, final=False)
        if self.another:
            self._reads(story, f"{sender}: another", receiver, self.another)
        if self.sender.closed:
            sampled(story, sender, RATE, self.until - 1)
            story.sent(sender, RATE * self.until, self.until - 0.01)
        else:
            sampled(story, sender, RATE, self.until)
        for end, name in ((self.sender, sender), (self.receiver, receiver)):
            if end.killed:
                story.killed(name, end.killed)

    def _reads(self, story: LandedFolder, other: str, receiver: str, until: int) -> None:
        story.socket(other, self.type)
        ToldConnection(story, other, receiver).down(until + 0.4, told_by=other)
        sampled(story, other, RATE, until)
        came = RATE * until
        story.got(receiver, other, came, 0, came - 1, until + 0.1, newest=until - 0.01, final=False)


CUTS = {
    # one end alone saw it, and the other is known to have been there for longer
    "sub killed soon": Cut("PUB", 20, "sender", 110, receiver=End(killed=24.4), another=23),
    "sub closed soon": Cut("PUB", 20, "sender", 110, receiver=End(23)),
    "pub closed soon": Cut("PUB", 40, "receiver", 43, End(43), End(60), lost=200),
    "pub killed soon": Cut("PUB", 40, "receiver", 43, End(killed=43.5), End(60), lost=200),
    "pub closed behind its sub": Cut("PUB", 40, "receiver", 46, End(46), End(42), lost=150),
    "pull killed late": Cut("PUSH", 20, "sender", 20, receiver=End(killed=60.4), another=60),
    "pull closed late": Cut("PUSH", 20, "sender", 20, receiver=End(60)),
    "push closed late": Cut("PUSH", 20, "receiver", 60, End(60), End(70), lost=2050),
    "push killed soon": Cut("PUSH", 20, "receiver", 23, End(killed=23.5), End(60), lost=200),
    # both saw it
    "pub closed behind its cut sub": Cut("PUB", 40, "both", 46, End(46), End(42)),
    "pub closed at once": Cut("PUB", 40, "both", 40, End(40.25), End(60)),
    "sub closed at once": Cut("PUB", 40, "both", 40, End(60), End(40.05)),
    "push closed behind its pull": Cut("PUSH", 20, "both", 20, End(60), End(40)),
    "push closed soon": Cut("PUSH", 20, "both", 20, End(22), End(40)),
    "pull closed at once": Cut("PUSH", 20, "both", 20, End(60), End(20.2)),
}
DEATHS = {
    "pull found dead long after": Cut("PUSH", 20, "sender", 20, receiver=End(killed=60.4)),
    "pull found dead at once": Cut("PUSH", 20, "sender", 20, receiver=End(killed=20.4)),
    "sub found dead long after": Cut("PUB", 20, "sender", 110, receiver=End(killed=60.4)),
    "sub found dead behind its pub": Cut("PUB", 30, "sender", 60, End(60), End(killed=100), linger=-1),
    "sub found dead behind one that let go": Cut("PUB", 30, "sender", 60, End(60), End(killed=100), linger=0),
}
GOODBYES = {
    "pub said goodbye": Cut("PUB", 40, "receiver", 40, End(40), End(40.25)),
    "sub said goodbye": Cut("PUB", 40, "sender", 40, End(40.25), End(40)),
    "both said goodbye": Cut("PUB", 40, "nobody", 40, End(40), End(40)),
}


@dataclass(frozen=True)
class Mended:
    """The last 50 were sent just before and while the connection was cut; an end went long after it was mended.

    The PUB saw the cut at once, or later.
    """

    pub: float
    sub: float | None = None
    killed: float | None = None
    pub_saw: float = 20

    def tell(self, story: LandedFolder, pub: str) -> None:
        sub = f"{pub}: sub"
        story.socket(pub, "PUB", closed=self.pub)
        story.socket(sub, "SUB", closed=self.sub)
        story.subscribe(sub, "")
        old = ToldConnection(story, pub, sub)
        mended = ToldConnection(story, pub, sub, up=21, sent=1000)
        old.down(20, told_by=sub)
        old.down(self.pub_saw, 1000, told_by=pub)
        story.sent(pub, 950, 19, final=False)
        story.sent(pub, 1000, 20.4)
        story.got(sub, pub, 950, 0, 949, 20.1, newest=19.95)
        sub_went = self.killed or self.sub or self.pub
        mended.down(min(self.pub, sub_went), 1000, told_by=pub if sub_went < self.pub else sub)
        if self.killed:
            story.killed(sub, self.killed + 0.4)


MENDED = {
    "mended, and the sub closed": Mended(pub=100, sub=60),
    "mended, and the pub closed": Mended(pub=50, sub=60),
    "mended, and the sub was killed": Mended(pub=100, killed=60),
    "mended before the pub saw it, which closed": Mended(pub=80, sub=90, pub_saw=30),
    "mended before the pub saw it, and the sub was killed": Mended(pub=100, killed=70, pub_saw=30),
}


def all_of_the_tables(story: LandedFolder) -> None:
    for name, told in (CUTS | DEATHS | GOODBYES | MENDED).items():
        told.tell(story, name)


def closed_beside_another_worker(story: LandedFolder) -> None:
    story.socket("half7", "PUSH", closed=100)
    story.socket("half7-cut", "PULL", closed=60)
    story.socket("half7-whole", "PULL", closed=110)
    ToldConnection(story, "half7", "half7-cut").down(20, 1000, told_by="half7")
    ToldConnection(story, "half7", "half7-whole").down(100, told_by="half7-whole")
    sampled(story, "half7", 50, 99)
    story.sent("half7", 5000, 99.9)
    story.got("half7-cut", "half7", 475, 0, 948, 19.3, newest=18.99)
    story.got("half7-whole", "half7", 4500, 1, 4999, 99.95, newest=99.9)


def closed_behind_a_dead_way(story: LandedFolder) -> None:
    """The PUB found out by heartbeat, four seconds later."""
    story.socket("half14", "PUB")
    story.socket("half14-sub", "SUB", closed=40)
    story.subscribe("half14-sub", "")
    ToldConnection(story, "half14", "half14-sub").down(44, 2200, told_by="half14")
    sampled(story, "half14", 50, 110)
    story.got("half14-sub", "half14", 1990, 0, 1989, 39.9, newest=39.7)


def burst_long_before_a_cut(story: LandedFolder) -> None:
    story.socket("c9", "PUB", sndhwm=500)
    story.socket("c9-sub", "SUB")
    story.subscribe("c9-sub", "")
    ToldConnection(story, "c9", "c9-sub").down(30, 601)
    ToldConnection(story, "c9", "c9-sub", up=31, sent=601)
    story.onset("c9", 501, 10.5)
    story.gap("c9-sub", "c9", 501, 600, (10.5, 60), received=502)
    story.sent("c9", 700, 61, final=False)
    story.got("c9-sub", "c9", 600, 0, 699, 61, newest=61, final=False)


def behind_a_proxy_as_another_lane_goes_on(story: LandedFolder) -> None:
    proxied(story, "c4", "c4-sub")[1].down(20)
    ToldConnection(story, "c4-back", "c4-sub", up=21)
    story.counters("c4-front", 119, proxied_in_frames=3000)
    story.sent("c4", 1000, 20.4, topic="a", final=False)
    story.sent("c4", 500, 110, lane=1, topic="b", final=False)
    story.got("c4-sub", "c4", 950, 0, 949, 20.1, newest=19.95, final=False)
    story.got("c4-sub", "c4", 500, 0, 499, 110.1, newest=110, lane=1, final=False)


def behind_a_proxy_that_saw_it_when_it_was_mended(story: LandedFolder) -> None:
    _, back = proxied(story, "half17", "half17-sub", closed=100)
    back.down(20, told_by="half17-sub")
    ToldConnection(story, "half17-back", "half17-sub", up=20.5)
    back.down(35, told_by="half17-back")
    sampled(story, "half17", 100, 99)
    story.gap("half17-sub", "half17", 1900, 2051, (19, 20.52), received=1901)
    story.got("half17-sub", "half17", 9900 - 152, 0, 9899, 99.5, newest=99)
    story.counters("half17-front", 119, proxied_in_frames=2 * 9900)


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


def flaps(story: LandedFolder) -> None:
    killed_proxy_after_a_flap(story)
    flap_and_a_queue(story, "orders", "desk", killed=False)
    flap_and_a_queue(story, "claims", "office", killed=True)
    cut_by_clocks_that_are_a_little_apart(story)


STORIES = (
    all_of_the_tables,
    flaps,
    closed_beside_another_worker,
    closed_behind_a_dead_way,
    burst_long_before_a_cut,
    behind_a_proxy_as_another_lane_goes_on,
    behind_a_proxy_that_saw_it_when_it_was_mended,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def evidence(report: Json) -> str:
    return "\n".join(item["text"] for incident in report["incidents"] for item in incident["evidence"])


@pytest.mark.parametrize("sender", CUTS)
def test_who_was_there_for_longer_than_its_connection_did_not_lose_them_by_its_end(
    report: Json, sender: str
) -> None:
    hop = f"{sender} → {sender}: receiver"
    assert incidents(report, sender) == [(hop, "reconnect", "inferred", CUTS[sender].lost)]


@pytest.mark.parametrize("sender", DEATHS)
def test_who_was_found_dead_long_after_may_have_been_cut_off_before(report: Json, sender: str) -> None:
    certainty = "exact" if sender == "pull found dead at once" else "inferred"
    assert incidents(report, sender) == [(f"{sender} → {sender}: receiver", "receiver_died", certainty, RATE)]
    sent_by_then = RATE * DEATHS[sender].at
    assert row(report, sender, f"{sender}: receiver")["sent"] == sent_by_then


@pytest.mark.parametrize("sender", GOODBYES)
def test_who_closed_did_not_see_the_connection_go_down_before(report: Json, sender: str) -> None:
    assert incidents(report, sender) == [(f"{sender} → {sender}: receiver", "closed", "exact", RATE)]


@pytest.mark.parametrize("pub", MENDED)
def test_a_cut_that_was_mended_is_why_whoever_went_later(report: Json, pub: str) -> None:
    assert incidents(report, pub) == [(f"{pub} → {pub}: sub", "reconnect", "inferred", 50)]


def test_among_several_workers_a_cut_is_why_as_well(report: Json) -> None:
    assert incidents(report, "half7") == [("half7 → half7-cut", "reconnect", "inferred", 25)]


def test_a_full_pipe_of_long_before_is_why_though_a_cut_lies_between(report: Json) -> None:
    assert incidents(report, "c9") == [("c9 → c9-sub", "slow_receiver", "inferred", 100)]


def test_what_is_sent_after_a_receiver_has_closed_is_not_owed_to_it_however_late_its_sender_finds_out(
    report: Json,
) -> None:
    assert incidents(report, "half14") == [("half14 → half14-sub", "closed", "exact", 10)]
    assert row(report, "half14", "half14-sub")["sent"] == 2000


@pytest.mark.parametrize(("pub", "lost"), [("c4", 50), ("half17", 152)])
def test_so_it_is_behind_a_proxy(report: Json, pub: str, lost: int) -> None:
    assert incidents(report, f"hub of {pub}") == [
        (f"hub of {pub} → {pub}-sub", "reconnect", "inferred", lost)
    ]


@pytest.mark.parametrize("sender", ["sub closed soon", "pub closed soon"])
def test_the_connection_is_told_to_have_gone_down_by_whoever_saw_it(report: Json, sender: str) -> None:
    found = next(item for item in report["incidents"] if item["hop"] == f"{sender} → {sender}: receiver")
    assert "went down once" in "\n".join(each["text"] for each in found["evidence"])


def test_advice_tells_of_a_sender_that_is_bound(report: Json) -> None:
    pub = "mended, and the sub closed"
    found = next(item for item in report["incidents"] if item["hop"] == f"{pub} → {pub}: sub")
    assert f"as {pub} is bound" in found["advice"][0]


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
    assert "office is still open: it may have some of them, and not have read them yet" in evidence(report)
    assert "desk is still open" not in evidence(report)
