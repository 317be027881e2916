"""Beside readers that got everything, others that nobody watches may lack messages: then it is not said that nothing was lost."""

import pytest
from hopwatch_analysis.incidents.full_for_somebody_unknown import RULE as FULL_FOR_SOMEBODY_UNKNOWN
from hopwatch_analysis.incidents.reader_not_watched import RULE as READER_NOT_WATCHED
from hopwatch_analysis.links.unwrapped import RULE as RECEIVER_NOT_WRAPPED
from landed_folder import LandedFolder, id_of
from stories import Json, pub_sub, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def bare_reader(
    story: LandedFolder,
    pub: str,
    up: float,
    down: float | None = None,
    *,
    place: str = "127.0.0.1",
    port: int = 81,
) -> None:
    """One whom the publisher alone tells of."""
    event = {"connection": 1000 + port, "accepted": True, "sent": 0, "received": 0}
    ends = {"local": "127.0.0.1:5581", "remote": f"{place}:{port}"}
    story.add("connection", pub, up, action="connected", **event, **ends)
    if down is not None:
        story.add("connection", pub, down, action="disconnected", **event, **ends)


def read_by_one_who_got_all(story: LandedFolder, pub: str, sub: str) -> None:
    pub_sub(story, pub, sub, sndhwm=10)
    story.sent(pub, 1000, 20)
    story.counters(pub, 20, final=True, sent=1000)
    story.got(sub, pub, 1000, 0, 999, 20)


def full_for_another(story: LandedFolder) -> None:
    """One whom nobody watches was there for long, or for a moment, or was not there at all."""
    for pub, sub in (("leaflet", "subscriber"), ("flyer", "stroller"), ("placard", "villager")):
        read_by_one_who_got_all(story, pub, sub)
        story.onset(pub, 100, 2)
    story.onset("leaflet", 500, 10)
    bare_reader(story, "leaflet", 1, 30, place="10.1.1.7")
    bare_reader(story, "flyer", 1.5, 2.3)


def full_for_one_who_is_known(story: LandedFolder) -> None:
    """And what it lacks besides has nothing to do with another onset."""
    for pub, sub in (("circular", "addressee"), ("pamphlet", "skimmer")):
        pub_sub(story, pub, sub, sndhwm=10)
        bare_reader(story, pub, 1, place="10.1.1.7")
        story.sent(pub, 1000, 20)
        story.got(sub, pub, 900, 0, 999, 20)
        story.gap(sub, pub, 100, 199, (2, 4), received=101)
        story.onset(pub, 100, 2)
    story.onset("pamphlet", 500, 10)


def full_while_it_goes_on(story: LandedFolder) -> None:
    """Its known reader has the newest messages still to get."""
    story.socket("newsreel", "PUB", sndhwm=10)
    story.socket("viewer", "SUB", rcvhwm=10)
    story.subscribe("viewer", "")
    story.link("newsreel", "viewer")
    bare_reader(story, "newsreel", 1, place="10.1.1.7")
    story.sent("newsreel", 1000, 119.5, final=False)
    story.counters("newsreel", 119.5, sent=1000)
    story.got("viewer", "newsreel", 995, 0, 994, 119.4, final=False)
    for number in (500, 997):
        story.onset("newsreel", number, number / 10)


def full_in_a_gap_of_sparse_stamps(story: LandedFolder) -> None:
    """Which ones are missing between two stamps is not known: either of the two may be."""
    pub_sub(story, "digest", "browser", sndhwm=10, stamp_every=16)
    bare_reader(story, "digest", 1, 1.5)
    story.sent("digest", 1000, 20)
    story.onset("digest", 97, 2)
    story.onset("digest", 109, 2.1)
    story.got("browser", "digest", 985, 0, 992, 20, since=7)
    story.gap("browser", "digest", 97, 111, (2, 3), around=(96, 112), lost=5)


def not_told_of_yet(story: LandedFolder) -> None:
    """Somebody who came just before the end, and one whose monitor its application took away before it came again; one sent nothing."""
    for pub, sub in (("dawn", "early-bird"), ("rumour", "eavesdropper")):
        story.socket(pub, "PUB")
        story.socket(sub, "SUB")
        story.subscribe(sub, "")
        story.link(pub, sub, down=5 if pub == "rumour" else None)
        story.sent(pub, 1000, 110, final=False)
        story.counters(pub, 110, sent=1000)
        story.got(sub, pub, 1000, 0, 999, 110, final=False)
    bare_reader(story, "dawn", 119.5, place="10.1.1.7")
    story.add("connection", "eavesdropper", 4, action="monitor_application")
    bare_reader(story, "rumour", 6, place="10.1.1.7")
    story.socket("hush", "PUB", closed=50)
    bare_reader(story, "hush", 1, 40, place="10.1.1.7")


def bare_readers_that_left(story: LandedFolder) -> None:
    """One was there for long; and one, wrapped after it had connected, was cut three times."""
    story.socket("poster", "PUB", closed=50)
    bare_reader(story, "poster", 1, 40)
    story.socket("notice", "PUB", closed=50)
    story.add("endpoint", "notice", 0, action="bind", endpoint="tcp://127.0.0.1:5582")
    story.counters("notice", 20, final=True, sent=1000)
    for cut in (1, 2, 3):
        bare_reader(story, "notice", 10 * cut, 10 * cut + 9, port=90 + cut)
    story.socket("late-to-notice", "SUB", opened=12, closed=60)
    story.add("endpoint", "late-to-notice", 12, action="endpoint", endpoint="tcp://127.0.0.1:5582")


def bare_reader_over_ipc(story: LandedFolder) -> None:
    story.socket("herald", "PUB", closed=50)
    story.counters("herald", 40, final=True, sent=1000)
    event = {"connection": 1, "endpoint": "ipc:///run/herald", "accepted": True, "sent": 0, "received": 0}
    story.add("connection", "herald", 1, action="connected", **event)
    story.add("connection", "herald", 30, action="disconnected", **event)


def wrapped_late_and_connected_again(story: LandedFolder) -> None:
    """Of its first connection the publisher alone tells, of the second one both."""
    pub_sub(story, "handbill", "citizen")
    story.counters("handbill", 20, final=True, sent=1000)
    bare_reader(story, "handbill", 0.05, 9)
    story.add("endpoint", "citizen", 5, action="endpoint", endpoint="tcp://127.0.0.1:5555")


def killed_with_bare_workers(story: LandedFolder) -> None:
    """All its workers are bare, or one beside two that are not."""
    for push, known in (("foundry", False), ("kiln", True)):
        story.socket(push, "PUSH")
        bare_reader(story, push, 1, 20.1)
        story.sent(push, 200, 20)
        for number in (0, 1) if known else ():
            potter = f"potter-{number}"
            story.socket(potter, "PULL", closed=40, unread=False)
            story.link(push, potter, down=20.1)
            story.got(potter, push, 45, number, 178 + number, 20)
        story.killed(push, 20)


STORIES = (
    full_for_another,
    full_for_one_who_is_known,
    full_while_it_goes_on,
    bare_readers_that_left,
    full_in_a_gap_of_sparse_stamps,
    not_told_of_yet,
    bare_reader_over_ipc,
    wrapped_late_and_connected_again,
    killed_with_bare_workers,
)


@pytest.fixture(scope="module")
def report(joint_report: Json) -> Json:
    return joint_report


def found(report: Json, rule: str) -> dict[str, str]:
    return {item["socket"]: item["text"] for item in report["findings"] if item["rule"] == rule}


def test_a_full_pipe_of_which_no_reader_that_is_known_lacks_anything_is_told(report: Json) -> None:
    told = found(report, FULL_FOR_SOMEBODY_UNKNOWN)
    assert "leaflet met a full pipe 2 times" in told[id_of("leaflet")]
    assert "flyer met a full pipe once" in told[id_of("flyer")]
    assert id_of("circular") not in told


def test_what_a_known_reader_lacks_otherwise_hides_no_full_pipe(report: Json) -> None:
    told = found(report, FULL_FOR_SOMEBODY_UNKNOWN)
    assert "pamphlet met a full pipe once" in told[id_of("pamphlet")]
    assert row(report, "newsreel", "viewer")["sent"] - row(report, "newsreel", "viewer")["delivered"] == 5
    assert "newsreel met a full pipe once" in told[id_of("newsreel")]


def test_where_all_readers_are_known_a_full_pipe_beside_which_nothing_is_missing_dropped_nothing(
    report: Json,
) -> None:
    assert id_of("placard") not in found(report, FULL_FOR_SOMEBODY_UNKNOWN)


def test_a_reader_that_nobody_wrapped_is_told_of_also_when_it_has_gone(report: Json) -> None:
    assert "of its connection to 127.0.0.1:81, on" in found(report, RECEIVER_NOT_WRAPPED)[id_of("poster")]


def test_of_one_elsewhere_it_is_told_that_nobody_watches_it(report: Json) -> None:
    told = found(report, READER_NOT_WATCHED)
    assert told[id_of("leaflet")].startswith(
        "leaflet had a connection to somebody (at 10.1.1.7:81) of whom no agent tells"
    )
    assert told[id_of("herald")].startswith("herald had a connection to somebody of whom no agent tells")
    assert id_of("leaflet") not in found(report, RECEIVER_NOT_WRAPPED)
    assert not {id_of("poster"), id_of("flyer"), id_of("placard")} & set(told)


def test_a_message_that_sparse_stamps_do_not_tell_to_have_come_is_not_said_to_be_of_others(
    report: Json,
) -> None:
    assert row(report, "digest", "browser")["lost"] > 0
    assert id_of("digest") not in found(report, FULL_FOR_SOMEBODY_UNKNOWN)


@pytest.mark.parametrize("pub", ["dawn", "hush"])
def test_who_may_have_told_of_it_since_or_was_sent_nothing_is_nobody_to_tell_of(
    report: Json, pub: str
) -> None:
    assert id_of(pub) not in found(report, READER_NOT_WATCHED)


@pytest.mark.parametrize("pub", ["notice", "handbill", "rumour"])
def test_one_that_does_not_tell_of_all_its_connections_may_be_at_the_other_end_of_those_of_nobody(
    report: Json, pub: str
) -> None:
    assert id_of(pub) not in found(report, RECEIVER_NOT_WRAPPED) | found(report, READER_NOT_WATCHED)


@pytest.mark.parametrize("push", ["foundry", "kiln"])
def test_what_bare_workers_may_have_is_not_said_to_have_died_with_its_sender(report: Json, push: str) -> None:
    assert row(report, push, None)["unexplained"] > 0
    assert id_of(push) not in found(report, "died_on_the_way")
    assert id_of(push) in found(report, RECEIVER_NOT_WRAPPED)
