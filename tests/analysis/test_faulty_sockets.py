"""Where the instrumentation itself failed or was passed by, or its events are lost, no cause is told that rests on what it said."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, pub_sub, row, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

PAST_US = ("handed_over", "proxy_not_counted", "address_taken")


def fault(story: LandedFolder, socket: str, seconds: float) -> None:
    story.add("fault", socket, seconds, text="ValueError: not a stamp")


def lost_events(story: LandedFolder, socket: str, seconds: float = 60) -> None:
    """Of its process some went before an agent had read them."""
    story.add("process", socket, seconds, state="events_lost", events_lost=3)


def half(story: LandedFolder, pub: str, *subs: str, received: int | None = None) -> None:
    """The lanes of each SUB stand still after 500 of 1,000 messages; the PUB is closed first."""
    pub_sub(story, pub, *subs)
    story.sent(pub, 1000, 40)
    for sub in subs:
        story.got(sub, pub, 500, 0, 499, 20)
        if received is not None:
            story.counters(sub, 60, final=True, received=received)


def half_of_the_jobs(story: LandedFolder, push: str, pull: str) -> None:
    story.socket(push, "PUSH", closed=50, linger=0)
    story.socket(pull, "PULL", closed=60)
    story.link(push, pull)
    story.sent(push, 1000, 40)
    story.got(pull, push, 500, 0, 499, 20)


def one_reader_of_two(story: LandedFolder) -> None:
    half(story, "aviary", "parrot", "macaw")
    fault(story, "parrot", 20)


def behind_a_proxy(story: LandedFolder, pub: str, *subs: str) -> None:
    through_proxy(story, pub, f"perch of {pub}", *subs)
    story.sent(pub, 1000, 40)
    for sub in subs:
        story.subscribe(sub, "")
        story.got(sub, pub, 900, 0, 899, 39)
    story.counters(f"perch of {pub}-front", 59, final=True, proxied_in_frames=2000)


def full_pipe(story: LandedFolder, pub: str, sub: str) -> None:
    pub_sub(story, pub, sub)
    story.sent(pub, 1000, 40)
    story.onset(pub, 600, 20)
    story.sampled(pub, 600, 699, (20, 38))
    story.gap(sub, pub, 600, 699, (20, 38))
    story.got(sub, pub, 900, 0, 999, 41)


def faults(story: LandedFolder) -> None:
    half(story, "sound pub", "sound sub", received=1000)
    for sub, received in (("dunnock", 1000), ("brambling", 900), ("bunting", 1100), ("hoopoe", None)):
        half(story, f"pub of {sub}", sub, received=received)
        fault(story, sub, 20)
    half(story, "faulty pub", "twitcher", received=500)
    fault(story, "faulty pub", 30)
    half_of_the_jobs(story, "nest", "brood")
    half_of_the_jobs(story, "faulty nest", "faulty brood")
    fault(story, "faulty brood", 20)
    one_reader_of_two(story)
    behind_a_proxy(story, "roost", "rook", "jackdaw")
    fault(story, "rook", 39)
    behind_a_proxy(story, "eyrie", "kite", "merlin")
    fault(story, "perch of eyrie-front", 39)


def passed_by(story: LandedFolder) -> None:
    for rule in PAST_US:
        half(story, f"asker of {rule}", rule)
        story.add("finding", rule, 20, rule=rule, text="It is read past us.", advice="Do not.")
    half_of_the_jobs(story, "lent nest", "lent brood")
    story.add("finding", "lent brood", 20, rule="handed_over", text="It is read past us.", advice="Do not.")
    half(story, "echoing", "wiretapper")
    story.add("finding", "echoing", 20, rule="handed_over", text="It is read past us.", advice="Do not.")


def lost(story: LandedFolder) -> None:
    for pub, sub, loser in (("ringer", "ring", "ringer"), ("birder", "hide", "hide")):
        half(story, pub, sub)
        lost_events(story, loser)
    half(story, "gappy", "patchy")
    lost_events(story, "gappy")
    lost_events(story, "patchy")
    half(story, "fen warden", "fen")
    story.add("process", "fen warden", 60, state="gone", events_lost=0)
    full_pipe(story, "chorus", "snorer")
    full_pipe(story, "dawn chorus", "early bird")
    lost_events(story, "dawn chorus")
    half_of_the_jobs(story, "forgetful nest", "cuckoo")
    lost_events(story, "cuckoo")


STORIES = (faults, passed_by, lost)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def terms(report: Json, pub: str, sub: str) -> tuple[int, ...]:
    found = row(report, pub, sub)
    return tuple(found[term] for term in ("delivered", "lost", "unexplained"))


def test_without_a_fault_the_same_is_told_exactly(report: Json) -> None:
    assert incidents(report, "sound pub") == [("sound pub → sound sub", "closed", "exact", 500)]
    assert incidents(report, "nest") == [("nest → brood", "closed", "exact", 500)]


def test_nothing_is_missing_that_a_faulty_receiver_counted(report: Json) -> None:
    assert terms(report, "pub of dunnock", "dunnock") == (1000, 0, 0)


@pytest.mark.parametrize("sub", ["brambling", "bunting", "hoopoe"])
def test_no_cause_is_told_where_a_faulty_receivers_count_does_not_fit(report: Json, sub: str) -> None:
    assert incidents(report, f"pub of {sub}") == []
    assert terms(report, f"pub of {sub}", sub) == (500, 0, 500)


@pytest.mark.parametrize(
    ("sender", "receiver"), [("faulty pub", "twitcher"), ("faulty nest", "faulty brood")]
)
def test_no_cause_is_told_on_ways_with_a_fault(report: Json, sender: str, receiver: str) -> None:
    assert incidents(report, sender) == []
    assert terms(report, sender, receiver) == (500, 0, 500)


@pytest.mark.parametrize(
    ("sender", "receiver"),
    [*((f"asker of {rule}", rule) for rule in PAST_US), ("lent nest", "lent brood")],
)
def test_no_cause_is_told_of_what_a_receiver_lacks_that_was_read_past_us(
    report: Json, sender: str, receiver: str
) -> None:
    assert incidents(report, sender) == []
    assert terms(report, sender, receiver) == (500, 0, 500)


def test_a_sender_that_was_handed_over_does_not_take_the_cause_from_its_receivers(report: Json) -> None:
    assert incidents(report, "echoing") == [("echoing → wiretapper", "closed", "exact", 500)]


def test_of_another_receiver_than_the_faulty_one_nothing_is_exact(report: Json) -> None:
    assert incidents(report, "aviary") == [("aviary → macaw", "closed", "inferred", 500)]
    assert terms(report, "aviary", "parrot") == (500, 0, 500)


def test_a_faulty_receiver_does_not_take_the_causes_of_others_behind_its_proxy(report: Json) -> None:
    assert terms(report, "roost", "rook") == (900, 0, 100)
    assert terms(report, "roost", "jackdaw") == (900, 100, 0)


def test_no_cause_is_told_of_ways_through_a_faulty_proxy(report: Json) -> None:
    assert terms(report, "eyrie", "kite") == terms(report, "eyrie", "merlin") == (900, 0, 100)


@pytest.mark.parametrize(
    ("sender", "receiver"), [("ringer", "ring"), ("birder", "hide"), ("forgetful nest", "cuckoo")]
)
def test_no_cause_is_exact_where_an_end_lost_events(report: Json, sender: str, receiver: str) -> None:
    assert incidents(report, sender) == [(f"{sender} → {receiver}", "closed", "inferred", 500)]


def test_nor_is_a_full_pipe(report: Json) -> None:
    assert [found[1:3] for found in incidents(report, "dawn chorus")] == [("slow_receiver", "inferred")]


def test_where_both_ends_lost_events_a_disconnection_may_be_among_them(report: Json) -> None:
    assert incidents(report, "gappy") == []
    assert terms(report, "gappy", "patchy") == (500, 0, 500)


def test_with_all_events_it_is(report: Json) -> None:
    assert incidents(report, "fen warden") == [("fen warden → fen", "closed", "exact", 500)]
    assert [found[1:3] for found in incidents(report, "chorus")] == [("slow_receiver", "exact")]


def test_the_report_names_them(report: Json) -> None:
    assert any(found["text"] == "ValueError: not a stamp" for found in report["faults"])
    assert report["events_lost"]
