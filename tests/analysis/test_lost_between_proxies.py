"""What a proxy does not pass on to another one: told by the counts of the second, once these hold all that came."""

import pytest
from landed_folder import LandedFolder, at, id_of
from stories import Json, hop, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

SENT, GAP, TAIL = 1000, 60, 40
CAME = SENT - GAP - TAIL
LAST_SENT = 40.0
LEFT = 50.0


def chain(story: LandedFolder, name: str, *, left: float = LEFT, told: float = LAST_SENT) -> None:
    """A PUB, two proxies one behind the other, and a reader: messages 500 to 559 and the last 40 never came to it."""
    pub, reader = f"{name}-quotes", f"{name}-reader"
    story.socket(pub, "PUB", closed=left + 0.2)
    story.socket(reader, "SUB", closed=left)
    story.subscribe(reader, "")
    for number in (1, 2):
        story.socket(f"{name}-in{number}", "XSUB", closed=left + 0.5)
        story.socket(f"{name}-out{number}", "XPUB", closed=left + 0.5, probed=False)
        story.proxy(f"{name}-hub{number}", f"{name}-in{number}", f"{name}-out{number}")
    for sender, receiver in ((pub, "in1"), ("out1", "in2"), ("out2", reader)):
        ends = [end if end in {pub, reader} else f"{name}-{end}" for end in (sender, receiver)]
        story.link(ends[0], ends[1])
    story.sent(pub, SENT, told)
    story.gap(reader, pub, 500, 559, (20, 22.5), received=500)


def counted(story: LandedFolder, socket: str, messages: int, since: float, until: float) -> None:
    """A proxy has counted so many messages (of two frames) since some time, and was asked for the last time at another."""
    for asked in (since, until):
        asked_at = int(at(asked).timestamp() * 1e9)
        story.counters(socket, asked, proxied_in_frames=2 * messages, proxied_at=asked_at)


def came(story: LandedFolder, name: str, newest: float, read: float) -> None:
    story.got(f"{name}-reader", f"{name}-quotes", CAME, 0, CAME + GAP - 1, read, newest=newest)


def settled(story: LandedFolder) -> None:
    """The second proxy rested for long before anybody went."""
    chain(story, "calm")
    counted(story, "calm-in1", SENT, LAST_SENT, LEFT + 0.4)
    counted(story, "calm-in2", CAME, 38.5, LEFT + 0.4)
    came(story, "calm", newest=38.4, read=38.5)


def shortly_settled(story: LandedFolder) -> None:
    """All ended within a second of the last message, which was time enough: the second proxy had counted nothing more for a while."""
    chain(story, "brief", left=LAST_SENT + 0.5)
    counted(story, "brief-in1", SENT, LAST_SENT, LAST_SENT + 0.9)
    counted(story, "brief-in2", CAME, 38.5, LAST_SENT + 0.9)
    came(story, "brief", newest=38.4, read=38.5)


def known_by_its_stamp(story: LandedFolder) -> None:
    """The sender told of its last message when it was closed, which came right before the proxies' end; the stamp that it came with says that it was sent long before."""
    chain(story, "late-word", left=LAST_SENT + 0.5, told=LAST_SENT + 0.65)
    counted(story, "late-word-in1", SENT, LAST_SENT, LAST_SENT + 0.9)
    counted(story, "late-word-in2", SENT - GAP, LAST_SENT + 0.05, LAST_SENT + 0.9)
    story.got(
        "late-word-reader", "late-word-quotes", SENT - GAP, 0, SENT - 1, LAST_SENT + 0.1, newest=LAST_SENT
    )


def still_counting(story: LandedFolder) -> None:
    """The second proxy was still counting when it ended, right behind its reader: what more it would have counted is not known."""
    chain(story, "rush", left=LAST_SENT + 0.5)
    counted(story, "rush-in1", SENT, LAST_SENT, LAST_SENT + 0.9)
    counted(story, "rush-in2", CAME, LAST_SENT + 0.8, LAST_SENT + 0.9)
    came(story, "rush", newest=38.4, read=LAST_SENT + 0.4)


def first_one_closed_with_some(story: LandedFolder) -> None:
    """The first proxy was closed while the second one still took in what it had queued, and that rested only then."""
    chain(story, "hasty")
    counted(story, "hasty-in1", SENT, LAST_SENT, LEFT + 0.4)
    counted(story, "hasty-in2", CAME, LEFT + 0.45, LEFT + 3)
    came(story, "hasty", newest=38.4, read=LEFT - 0.1)
    for side in ("hasty-in2", "hasty-out2"):
        (closed,) = (
            each
            for each in story.rows["socket"]
            if (each["socket"], each["state"]) == (id_of(side), "closed")
        )
        closed["at"] = at(LEFT + 3.1)


def busy_with_another(story: LandedFolder) -> None:
    """The end of a PUB's stream did not come to a proxy that another PUB kept busy for long after both ends of that had rested."""
    for pub, closed in (("busy-one", 100), ("busy-two", 112)):
        story.socket(pub, "PUB", closed=closed)
    story.socket("busy-in", "XSUB", closed=119.5)
    story.socket("busy-out", "XPUB", closed=119.5, probed=False)
    story.proxy("busy-hub", "busy-in", "busy-out")
    story.socket("busy-reader", "SUB", closed=119)
    story.subscribe("busy-reader", "")
    for pub, closed in (("busy-one", 100), ("busy-two", 112)):
        story.link("busy-in", pub, down=closed)
    story.link("busy-out", "busy-reader")
    story.sent("busy-one", SENT, 90)
    story.got("busy-reader", "busy-one", SENT - TAIL, 0, SENT - TAIL - 1, 89.5, newest=89)
    story.sent("busy-two", SENT, 110)
    story.got("busy-reader", "busy-two", SENT, 0, SENT - 1, 110.1, newest=110)
    counted(story, "busy-in", 2 * SENT - TAIL, 110.1, 119.4)


STORIES = (
    settled,
    shortly_settled,
    known_by_its_stamp,
    still_counting,
    first_one_closed_with_some,
    busy_with_another,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.mark.parametrize("name", ["calm", "brief"])
def test_gaps_and_ends_that_the_second_proxy_lacks_were_dropped_for_it(report: Json, name: str) -> None:
    between = f"{name}-hub1 → {name}-hub2"
    assert incidents(report, f"{name}-hub1") == [
        (between, "slow_receiver", "inferred", lost) for lost in (TAIL, GAP)
    ]
    assert hop(report, between)["lost"] == GAP + TAIL
    assert hop(report, f"{name}-quotes → {name}-hub1")["lost"] == 0
    assert hop(report, f"{name}-hub2 → {name}-reader")["lost"] == 0


def test_a_stamp_tells_sooner_than_its_sender_when_the_last_message_was_sent(report: Json) -> None:
    between = "late-word-hub1 → late-word-hub2"
    assert incidents(report, "late-word-hub1") == [(between, "slow_receiver", "inferred", GAP)]


def test_while_counts_may_lack_what_came_nobody_is_accused(report: Json) -> None:
    books = row(report, "rush-quotes", "rush-reader")
    assert (books["lost"], books["unexplained"]) == (0, GAP + TAIL)
    assert not [item for item in report["incidents"] if item["hop"].startswith("rush-")]


def test_what_the_first_proxy_still_had_when_it_was_closed_is_not_said_to_have_been_dropped(
    report: Json,
) -> None:
    books = row(report, "hasty-quotes", "hasty-reader")
    assert books["delivered"] + books["lost"] + books["unexplained"] == SENT
    assert "slow_receiver" not in _causes_of_the_end(report)


def _causes_of_the_end(report: Json) -> set[str]:
    found = [item for item in report["incidents"] if item["hop"].startswith("hasty-")]
    return {item["cause"] for item in found if item["lost"] == TAIL}


def test_what_was_in_no_queue_is_not_lost_with_a_sender_that_closed_while_another_kept_the_proxy_busy(
    report: Json,
) -> None:
    books = row(report, "busy-one", "busy-reader")
    assert (books["lost"], books["unexplained"]) == (0, TAIL)
    assert not incidents(report, "busy-one")
