"""Stamps of a sender that nobody tells of are no loss: its host's files may not be here, or it is made up."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, hop, incidents, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

MADE_UP_STREAM, MADE_UP = "a stream that was made up", 10**15


def made_up_beside_an_honest_sender(story: LandedFolder) -> None:
    story.socket("stonecutter", "PUSH", closed=50)
    story.socket("stone-pit", "PULL", closed=60)
    story.link("stonecutter", "stone-pit")
    story.sent("stonecutter", 100, 40)
    story.got("stone-pit", "stonecutter", 97, 0, 99, 41)
    story.got("stone-pit", MADE_UP_STREAM, 2, 0, MADE_UP, 41)
    story.gap("stone-pit", MADE_UP_STREAM, 1, MADE_UP - 1, (3, 3.1), received=2)
    story.counters("stone-pit", 60, final=True, received=99, gaps=1, lost=MADE_UP - 1)


def whose_hosts_files_are_not_here(story: LandedFolder) -> None:
    """Two streams of there, of which one was left for a while."""
    story.socket("abroad", "SUB", closed=60)
    story.subscribe("abroad", "")
    for stream in ("overseas-1", "overseas-2"):
        story.got("abroad", stream, 80, 10, 109, 41)
        story.gap("abroad", stream, 30, 39, (3, 3.1), received=21)
    story.gap_event("skipped", "abroad", "overseas-1", 0, 9)
    story.gap_event("skipped", "abroad", "overseas-1", 50, 59)


def of_which_only_lanes_are_told(story: LandedFolder) -> None:
    """What opened the socket went with a segment of its journal."""
    pub_sub(story, "effaced", "faithful")
    story.sent("effaced", 100, 40)
    story.got("faithful", "effaced", 90, 0, 99, 41)
    story.gap("faithful", "effaced", 50, 59, (3, 3.1), received=51)
    story.rows["socket"] = [each for each in story.rows["socket"] if each["socket"] != id_of("effaced")]


def sparse_ones_take_what_was_counted(story: LandedFolder) -> None:
    story.socket("counting-frame", "PUSH", closed=50, sequence="count")
    story.socket("tallyman", "PULL", closed=60, sequence="count")
    story.link("counting-frame", "tallyman")
    story.sent("counting-frame", 100, 40)
    story.counters("counting-frame", 50, final=True, sent=100)
    story.got("tallyman", "counter-thief", 1, 0, 0, 41, since=60)
    about = {"stream": "0" * 16, "lane": 0, "role": "count"}
    story.add("lane", "tallyman", 50, state="final", count=40, first=0, next=0, **about)
    story.counters("tallyman", 60, final=True, received=101)


def told_again_and_again(story: LandedFolder) -> None:
    story.socket("nightwatch", "PULL", closed=60)
    for seconds, count in ((1, 1), (2, 2), (4, 4), (60, 7)):
        told = {"rule": "impossible_stamps", "text": f"{count} so far", "advice": "See who."}
        story.add("finding", "nightwatch", seconds, **told)


STORIES = (
    made_up_beside_an_honest_sender,
    whose_hosts_files_are_not_here,
    of_which_only_lanes_are_told,
    sparse_ones_take_what_was_counted,
    told_again_and_again,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def findings(report: Json, socket: str, rule: str = "unknown_sender") -> list[str]:
    return [
        item["text"] for item in report["findings"] if (item["socket"], item["rule"]) == (id_of(socket), rule)
    ]


@pytest.mark.parametrize("stream", [MADE_UP_STREAM, "overseas-1", "overseas-2", "counter-thief"])
def test_no_ledger_hop_or_incident_is_of_such_a_sender(report: Json, stream: str) -> None:
    told = [item for name in ("ledger", "not_checked", "agreed_by_count") for item in report[name]]
    assert id_of(stream) not in {item["stream"] for item in told}
    assert id_of(stream) not in {item["from"]["socket"] for item in report["hops"]}
    assert not any(id_of(stream) in item["streams"] for item in report["incidents"])


def test_a_finding_names_the_stream_and_how_many_numbers_did_not_come(report: Json) -> None:
    (text,) = findings(report, "stone-pit")
    assert f"the socket of stream {id_of(MADE_UP_STREAM)}" in text
    assert f"the last that did: {MADE_UP - 1}." in text


def test_the_losses_of_its_other_senders_are_told_as_ever(report: Json) -> None:
    assert row(report, "stonecutter", "stone-pit")["delivered"] == 97
    assert hop(report, "stonecutter → stone-pit")["sent"] == 100


def test_one_finding_is_of_all_streams_of_hosts_that_are_not_here(report: Json) -> None:
    (text,) = findings(report, "abroad")
    assert "nor that of one other" in text
    assert "the last that did: 30." in text


def test_a_sender_that_is_told_of_by_its_lanes_alone_is_known(report: Json) -> None:
    assert findings(report, "faithful") == []
    (found,) = [item for item in report["ledger"] if item["stream"] == id_of("effaced")]
    assert (found["sent"], found["lost"] + found["unexplained"]) == (100, 10)


def test_where_such_stamps_may_have_taken_what_was_counted_only_sums_are_compared(report: Json) -> None:
    assert [
        item["agreed_on"] for item in report["agreed_by_count"] if item["stream"] == id_of("counting-frame")
    ] == [100]
    assert incidents(report, "counting-frame") == []


def test_of_a_finding_that_is_counted_the_last_word_is_told(report: Json) -> None:
    assert findings(report, "nightwatch", "impossible_stamps") == ["7 so far"]
