"""What a ROUTER had a peer for that never read it: it is in the books, and its hop and cause are told where only one peer can have had it."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def router(story: LandedFolder, name: str, *lanes: int, closed: float | None = 50) -> None:
    """It sent so many messages to each of its peers."""
    story.socket(name, "ROUTER", closed=closed)
    for lane, count in enumerate(lanes):
        story.sent(name, count, 40, lane=lane, topic=f"peer {lane}", final=closed is not None)


def worker(
    story: LandedFolder, name: str, of: str, *, lane: int | None, got: int = 0, closed: float | None = 60
) -> None:
    story.socket(name, "DEALER", closed=closed)
    story.link(of, name)
    if lane is not None:
        story.got(name, of, got, 0, got - 1, 40, lane=lane, final=closed is not None)


def one_is_killed_before_its_first_message(story: LandedFolder) -> None:
    router(story, "broker", 30, 50)
    worker(story, "quick", "broker", lane=0, got=30)
    worker(story, "doomed", "broker", lane=None, closed=None)
    story.killed("doomed", 45)


def two_are_killed_before_their_first_messages(story: LandedFolder) -> None:
    router(story, "hub", 30, 50, 20)
    worker(story, "steady", "hub", lane=0, got=30)
    for name in ("first", "second"):
        worker(story, name, "hub", lane=None, closed=None)
        story.killed(name, 45)


def one_has_another_lane_after_it_came_back(story: LandedFolder) -> None:
    router(story, "bureau", 30, 20)
    worker(story, "returner", "bureau", lane=0, got=30, closed=None)
    story.link("bureau", "returner", up=20, sent=30)
    story.killed("returner", 45)


def one_has_not_read_yet(story: LandedFolder) -> None:
    router(story, "front desk", 30, 50, 7, closed=None)
    worker(story, "late reader", "front desk", lane=0, got=30, closed=None)
    for name in ("waiter", "idler"):
        worker(story, name, "front desk", lane=None, closed=None)


def somebody_unknown_is_connected(story: LandedFolder) -> None:
    router(story, "lobby", 30, 50)
    worker(story, "guest", "lobby", lane=None)
    ends = {"local": "127.0.0.1:5555", "remote": "127.0.0.1:9"}
    story.one_end("lobby", 1, **ends, endpoint="tcp://127.0.0.1:5555", accepted=True)


def some_were_swallowed(story: LandedFolder) -> None:
    """Of one peer all, of the other what was sent before it came; the rest of a third was counted when the ROUTER was killed."""
    router(story, "gate", 30, 50)
    story.unroutable("gate", 5, number=0, lane=0, lane_number=0, messages=30)
    story.unroutable("gate", 5, number=0, lane=1, lane_number=0, messages=10)
    story.unroutable("gate", 5, number=90, lane=None, messages=4, reason="routing_id_alone")
    worker(story, "nobody's", "gate", lane=None)
    worker(story, "another's", "gate", lane=None)
    router(story, "cellar", 100, closed=None)
    story.unroutable("cellar", 5, number=0, lane=0, lane_number=0, messages=64)
    story.counters("cellar", 40, sent=100, unroutable=90)
    story.killed("cellar", 45)


def some_of_what_one_reads_were_swallowed(story: LandedFolder) -> None:
    router(story, "windmill", 30)
    story.socket("miller", "DEALER", closed=60)
    story.link("windmill", "miller")
    story.got("miller", "windmill", 25, 0, 29, 40)
    story.gap("miller", "windmill", 10, 14, (10, 11))
    story.unroutable("windmill", 10, number=10, lane=0, lane_number=10, messages=5)


def two_of_its_peers_were_not_there(story: LandedFolder) -> None:
    """One never, the other came later; and what it sent unstamped found none of seven."""
    router(story, "reception", 30, 50)
    story.unroutable("reception", 5, number=0, lane=0, lane_number=0, messages=30, peer="stranger")
    story.unroutable("reception", 5, number=30, lane=1, lane_number=0, messages=10, peer="doorman")
    worker(story, "doorman", "reception", lane=None)
    story.got("doorman", "reception", 40, 10, 49, 40, lane=1)
    router(story, "yard", 7)
    for number in range(7):
        story.unroutable("yard", 5, number=number, lane=None, peer=f"cart {number}")


STORIES = (
    two_of_its_peers_were_not_there,
    one_is_killed_before_its_first_message,
    two_are_killed_before_their_first_messages,
    one_has_another_lane_after_it_came_back,
    one_has_not_read_yet,
    somebody_unknown_is_connected,
    some_were_swallowed,
    some_of_what_one_reads_were_swallowed,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def books(report: Json, router: str) -> dict[str | None, Json]:
    return {row["receiver_name"]: row["causes"] for row in report["ledger"] if row["name"] == router}


@pytest.mark.parametrize(
    ("router", "sent"),
    [
        ("broker", 80),
        ("hub", 100),
        ("bureau", 50),
        ("front desk", 87),
        ("lobby", 80),
        ("gate", 84),
        ("cellar", 100),
        ("windmill", 30),
        ("reception", 80),
    ],
)
def test_the_books_of_a_router_add_up_to_what_it_sent(report: Json, router: str, sent: int) -> None:
    rows = [row for row in report["ledger"] if row["name"] == router]
    assert sum(row["sent"] for row in rows) == sent
    assert sum(hop["sent"] for hop in report["hops"] if hop["hop"].startswith(f"{router} →")) == sent


def test_what_can_only_have_been_for_one_peer_was_lost_on_the_way_to_it(report: Json) -> None:
    assert incidents(report, "broker") == [("broker → doomed", "receiver_died", "inferred", 50)]
    assert incidents(report, "bureau") == [("bureau → returner", "receiver_died", "inferred", 20)]


@pytest.mark.parametrize(("router", "unexplained"), [("hub", 70), ("lobby", 80), ("gate", 40)])
def test_what_may_have_been_for_several_is_unexplained(report: Json, router: str, unexplained: int) -> None:
    assert books(report, router)[None].get("unexplained") == unexplained


def test_it_is_in_flight_while_a_peer_that_has_not_read_is_there(report: Json) -> None:
    assert books(report, "front desk") == {"late reader": {}, None: {"in_flight": 57}}


def test_what_was_swallowed_is_told_once(report: Json) -> None:
    assert books(report, "gate") == {None: {"unroutable": 44, "unexplained": 40}}
    assert books(report, "windmill") == {"miller": {"unroutable": 5}}
    assert books(report, "cellar") == {None: {"unroutable": 90, "unexplained": 10}}


def peers_named(report: Json, router: str) -> dict[str, list[str]]:
    """What evidence says of whom a ROUTER could not reach, by hop."""
    told: dict[str, list[str]] = {}
    for incident in report["incidents"]:
        if incident["hop"].startswith(f"{router} →"):
            found = [item for item in incident["evidence"] if item["kind"] == "unroutable"]
            told[incident["hop"]] = [item["text"].split(": ")[1] for item in found]
    return told


def test_each_hop_names_the_peers_that_its_own_messages_were_for(report: Json) -> None:
    assert peers_named(report, "reception") == {
        "reception → doorman": ["'doorman'"],
        "reception → a peer that was not there": ["'stranger'"],
    }


def test_of_many_peers_the_first_are_named_and_that_there_are_others(report: Json) -> None:
    assert peers_named(report, "yard") == {
        "yard → a peer that was not there": ["'cart 0', 'cart 1', 'cart 2', 'cart 3', 'cart 4' and others"]
    }
