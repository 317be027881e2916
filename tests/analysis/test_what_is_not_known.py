"""Systems of which not everything can be known."""

import pytest
from landed_folder import LandedFolder, id_of
from stories import Json, hop, incidents, pub_sub, row, through_proxy

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def proxy_is_killed(story: LandedFolder) -> None:
    """Its counts are those of a moment before the last send: what it had got since died with it."""
    story.socket("perished-front", "XSUB")
    story.socket("perished-back", "XPUB", probed=False)
    story.proxy("perished", "perished-front", "perished-back")
    story.socket("ferryboat", "PUB", closed=30)
    story.socket("shore", "SUB", closed=31)
    story.subscribe("shore", "")
    story.link("perished-front", "ferryboat", down=20.1)
    story.link("perished-back", "shore", down=20.1)
    story.sent("ferryboat", 600, 20)
    story.got("shore", "ferryboat", 165, 0, 164, 20.1, newest=20)
    story.counters("perished-front", 19.8, proxied_in_frames=330)
    for side in ("perished-front", "perished-back"):
        story.killed(side, 20.3)


def proxy_lives_on_behind_a_killed_sender(story: LandedFolder) -> None:
    through_proxy(story, "dispatch", "crossing", "lone-3", closed=None)
    story.sent("dispatch", 500, 20)
    story.killed("dispatch", 20)
    story.got("lone-3", "dispatch", 400, 0, 399, 25, newest=19)
    story.counters("crossing-front", 59, final=True, proxied_in_frames=800)


def killed_sender_of_two_workers(story: LandedFolder) -> None:
    """Both read on, and were closed when nothing was left: for whom the rest was, nothing tells."""
    story.socket("gaffer", "PUSH")
    for number in (0, 1):
        worker = f"hand-of-gaffer-{number}"
        story.socket(worker, "PULL", closed=40, unread=False)
        story.link("gaffer", worker, down=20.1)
        story.got(worker, "gaffer", 90, number, 178 + number, 20)
    story.sent("gaffer", 200, 20)
    story.killed("gaffer", 20)


def pipe_has_room_again(story: LandedFolder) -> None:
    """The receiver read on behind the onset, so the pipe took more; then the sender was killed."""
    story.socket("phoenix", "PUB")
    story.socket("ashes", "SUB", closed=60)
    story.subscribe("ashes", "")
    story.link("phoenix", "ashes")
    story.sent("phoenix", 1900, 4)
    story.onset("phoenix", 1000, 2)
    story.got("ashes", "phoenix", 870, 0, 869, 4.5)
    story.killed("phoenix", 4.2)


def addresses_are_translated(story: LandedFolder) -> None:
    """The sender connects to another address than that which the proxy is bound to: no two ends mirror each other."""
    story.socket("outside", "PUB", closed=50)
    story.socket("portal-front", "XSUB", closed=60)
    story.socket("portal-back", "XPUB", closed=60, probed=False)
    story.proxy("portal", "portal-front", "portal-back")
    story.add("endpoint", "portal-front", 0, action="bind", endpoint="tcp://0.0.0.0:7100")
    story.add("endpoint", "outside", 0, action="connect", endpoint="tcp://portal.svc:7100")
    near, far = "10.1.0.5:41000", "10.96.0.1:7100"
    story.one_end("outside", 0.1, near, far, endpoint="tcp://portal.svc:7100", accepted=False)
    story.one_end(
        "portal-front", 0.1, "10.1.0.9:7100", "10.1.0.1:50123", endpoint="tcp://0.0.0.0:7100", accepted=True
    )
    for reader, got in (("inside-1", 400), ("inside-2", 500)):
        story.socket(reader, "SUB", closed=55)
        story.subscribe(reader, "")
        story.link("portal-back", reader)
        story.got(reader, "outside", got, 0, 499, 40)
    story.gap("inside-1", "outside", 100, 199, (5, 9))
    story.sent("outside", 500, 40)
    story.counters("portal-front", 59, final=True, proxied_in_frames=1000)


def one_on_the_same_port_elsewhere(story: LandedFolder) -> None:
    """The sender is connected to somebody unknown; a socket on another host is bound to the same port, and lonely."""
    story.socket("caller", "PUB", closed=50, host="here")
    story.socket("stranger", "SUB", closed=60, host="there")
    story.subscribe("stranger", "")
    story.watched("stranger")
    story.add("endpoint", "stranger", 0, action="bind", endpoint="tcp://0.0.0.0:7200")
    story.add("connection", "stranger", 0.2, action="retried")
    story.add("endpoint", "caller", 0, action="connect", endpoint="tcp://db.example:7200")
    near, far = "10.2.0.5:41000", "10.2.0.9:7200"
    story.one_end("caller", 0.1, near, far, endpoint="tcp://db.example:7200", accepted=False)
    story.sent("caller", 70, 40)


def something_unknown_between(story: LandedFolder) -> None:
    """Numbers of a sender that the receiver has no connection to: it closed in time, and that proves nothing."""
    story.socket("far-away", "PUB", closed=50)
    story.socket("last-in-line", "SUB", closed=60)
    story.subscribe("last-in-line", "")
    story.sent("far-away", 100, 40)
    story.got("last-in-line", "far-away", 90, 0, 89, 41)


def nobody_there(story: LandedFolder) -> None:
    for name, closed, linger in (("lone", 5, 0), ("lingering", 5, -1), ("waiting", None, -1)):
        story.socket(name, "PUSH", closed=closed, linger=-1)
        story.watched(name)
        story.add("connection", name, 0.1, action="retried", endpoint="tcp://127.0.0.1:9")
        story.add("option", name, 0.1, option="linger", value=str(linger))
        story.sent(name, 100, 4)
    story.socket("town-crier", "PUB", closed=5)
    story.watched("town-crier")
    story.sent("town-crier", 300, 4)


def partial_subscription(story: LandedFolder) -> None:
    """Messages of one frame: only who subscribes to everything can be told what is missing."""
    pub_sub(story, "barometer", "entire", sndhwm=1000)
    story.socket("some", "SUB", closed=60)
    story.subscribe("some", "A")
    story.link("barometer", "some")
    whole_stream = 4294967295
    story.sent("barometer", 6000, 40, lane=whole_stream)
    story.got("entire", "barometer", 6000, 0, 5999, 41, lane=whole_stream)
    story.counters("barometer", 50, final=True, sent=6000)
    story.counters("some", 60, final=True, received=1000)


def unstamped(story: LandedFolder) -> None:
    for sender, receiver, kinds, received in (
        ("bland", "bland-reader", ("PUB", "SUB"), 30),
        ("sound", "sound-reader", ("PUSH", "PULL"), 6000),
    ):
        story.bare_socket(sender, kinds[0], closed=50)
        story.bare_socket(receiver, kinds[1], closed=60)
        story.link(sender, receiver)
        story.counters(sender, 50, final=True, sent=6000)
        story.counters(receiver, 60, final=True, received=received)
        if receiver == "bland-reader":
            story.subscribe(receiver, "")


def counts(story: LandedFolder, receiver: str, count: int, topic: str = "") -> None:
    """What a receiver that was told of stamps got without one."""
    about = {"stream": "0" * 16, "lane": 0, "role": "count"}
    story.add("lane", receiver, 1, state="announced", topic=topic.encode().hex(), **about)
    story.add("lane", receiver, 50, state="final", count=count, first=0, next=0, **about)
    story.counters(receiver, 50, final=True, received=count)


def from_a_bare_sender(story: LandedFolder) -> None:
    """One has only such messages, and one beside those of a stamped stream; the third reads raw TCP, which has no stamps."""
    for name, kind, count in (
        ("orphan", "SUB", 225),
        ("half-orphan", "SUB", 30),
        ("raw-reader", "STREAM", 8),
    ):
        story.socket(name, kind, closed=60)
        story.subscribe(name, "")
        counts(story, name, count)
    story.socket("parent", "PUB", closed=50)
    story.link("parent", "half-orphan")
    story.sent("parent", 100, 40)
    story.got("half-orphan", "parent", 100, 0, 99, 40)
    story.counters("parent", 50, final=True, sent=100)
    story.counters("half-orphan", 60, final=True, received=130)


def from_a_known_sender_that_does_not_stamp(story: LandedFolder) -> None:
    """The two ends were told different things; the other connection of the second receiver leads to somebody unknown."""
    for name in ("voiceless", "voiceless-among-others"):
        story.bare_socket(name, "PUB", closed=50)
        story.socket(f"reader-of-{name}", "SUB", closed=60)
        story.subscribe(f"reader-of-{name}", "")
        story.link(name, f"reader-of-{name}")
        story.counters(name, 50, final=True, sent=500)
        counts(story, f"reader-of-{name}", 400)
    ends = {"local": "127.0.0.1:31999", "remote": "127.0.0.1:31998"}
    story.one_end(
        "reader-of-voiceless-among-others", 1, **ends, endpoint="tcp://127.0.0.1:31998", accepted=False
    )


def from_senders_that_count(story: LandedFolder) -> None:
    """One that has ended, whose messages are not all that came; and one that goes on, and is behind with telling."""
    for name, closed in (("told", 50), ("undisclosed", None)):
        story.socket(name, "PUB", closed=closed, sequence="count")
        story.socket(f"{name}-listener", "SUB", closed=closed and 60, sequence="count")
        story.subscribe(f"{name}-listener", "")
        story.link(name, f"{name}-listener")
        story.sent(name, 100, 40, final=closed is not None)
        story.counters(name, 40, sent=100)
        counts(story, f"{name}-listener", 150)


def routers_that_do_not_stamp(story: LandedFolder) -> None:
    """A plain one and two that count, of which one has lost messages, and the other had some to nobody."""
    for router, sequence, got in (
        ("bland-hub", None, 15),
        ("lossy-hub", "count", 15),
        ("sound-hub", "count", 20),
    ):
        story.socket(router, "ROUTER", closed=50, sequence=sequence)
        if sequence:
            story.sent(router, 20, 40, lane=0, topic="a")
            story.sent(router, 20, 40, lane=1, topic="b")
        story.counters(router, 50, final=True, sent=47 if router == "sound-hub" else 40)
        for peer, received in ((f"{router}-a", 20), (f"{router}-b", got)):
            story.socket(peer, "DEALER", closed=60, sequence=sequence)
            story.link(router, peer)
            if sequence:
                counts(story, peer, received)
            story.counters(peer, 60, final=True, received=received)
    story.unroutable("sound-hub", 5, number=3, lane=None, messages=7, peer="ghost")


STORIES = (
    proxy_is_killed,
    proxy_lives_on_behind_a_killed_sender,
    killed_sender_of_two_workers,
    pipe_has_room_again,
    addresses_are_translated,
    one_on_the_same_port_elsewhere,
    something_unknown_between,
    nobody_there,
    partial_subscription,
    unstamped,
    from_a_bare_sender,
    from_a_known_sender_that_does_not_stamp,
    from_senders_that_count,
    routers_that_do_not_stamp,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


def own(rows: list[Json]) -> list[Json]:
    """Return the rows about a socket of these stories."""
    story = LandedFolder()
    for tell in STORIES:
        tell(story)
    return [row for row in rows if {row["name"], row["receiver_name"]} & story.homes.keys()]


def of_nobody(report: Json, stream: str) -> dict[str, int]:
    return next(
        item["causes"]
        for item in report["ledger"]
        if item["name"] == stream and item["receiver_name"] is None
    )


def finding(report: Json, socket: str, rule: str) -> Json:
    (found,) = [
        item for item in report["findings"] if (item["socket"], item["rule"]) == (id_of(socket), rule)
    ]
    return found


def not_checked(report: Json) -> set[tuple[str, str, str | None, int, int | None]]:
    keys = ("reason", "name", "receiver_name", "sent", "received")
    return {tuple(item[key] for key in keys) for item in own(report["not_checked"])}


def test_what_a_killed_proxy_had_is_not_told_to_have_been_lost_before_it(report: Json) -> None:
    assert row(report, "ferryboat", "shore")["causes"] == {"unexplained": 435}
    assert hop(report, "ferryboat → perished")["lost"] == 0
    found = finding(report, "perished-front", "died_on_the_way")
    assert "perished died at 2100-05-04 12:00:20 UTC" in found["text"]
    assert "(435 in all)" in found["text"]


def test_a_sender_that_was_killed_is_told_of_where_nothing_tells_for_whom_the_rest_was(report: Json) -> None:
    assert sum(item["unexplained"] for item in report["ledger"] if item["name"] == "gaffer") == 20
    found = finding(report, "gaffer", "died_on_the_way")
    assert "gaffer died at 2100-05-04 12:00:20 UTC" in found["text"]
    assert "(20 in all)" in found["text"]


def test_what_never_reached_a_proxy_that_lived_on_died_with_its_sender(report: Json) -> None:
    assert incidents(report, "dispatch") == [("dispatch → crossing", "sender_died", "exact", 100)]


def test_behind_an_onset_the_pipe_may_have_had_room_again(report: Json) -> None:
    assert incidents(report, "phoenix") == [
        ("phoenix → ashes", "sender_died", "exact", 130),
        ("phoenix → ashes", "slow_receiver", "inferred", 900),
    ]
    found = next(
        item for item in report["incidents"] if item["hop"] == "phoenix → ashes" and item["lost"] == 900
    )
    assert [item["milliseconds"] for item in found["evidence"] if item["kind"] == "sent_on"] == [2000]


def test_a_connection_whose_addresses_are_translated_is_found_by_its_endpoint(report: Json) -> None:
    assert hop(report, "outside → portal")["delivered"] == 500
    assert incidents(report, "portal") == [("portal → inside-1", "slow_receiver", "inferred", 100)]


def test_being_bound_to_the_same_port_makes_no_connection(report: Json) -> None:
    assert of_nobody(report, "caller") == {"unexplained": 70}
    assert not any(item["hop"] == "caller → stranger" for item in report["hops"])


def test_an_end_that_nothing_connects_with_the_other_tells_no_cause(report: Json) -> None:
    assert row(report, "far-away", "last-in-line")["causes"] == {"unexplained": 10}
    found = finding(report, "far-away", "unknown_way")
    assert "The messages of far-away reach last-in-line by a way that no event tells of" in found["text"]


def test_what_a_closed_sender_without_a_peer_had_accepted_is_lost(report: Json) -> None:
    assert incidents(report, "lone") == [("lone → nobody", "closed", "exact", 100)]
    found = next(item for item in report["incidents"] if item["hop"] == "lone → nobody")
    assert found["advice"][0].startswith("Nobody was connected to lone")


def test_what_lingered_without_a_peer_may_have_gone_out_later(report: Json) -> None:
    assert of_nobody(report, "lingering") == {"unexplained": 100}


def test_what_waits_for_a_peer_is_in_flight(report: Json) -> None:
    assert of_nobody(report, "waiting") == {"in_flight": 100}


def test_what_cannot_be_checked_is_named_with_its_counts(report: Json) -> None:
    assert not_checked(report) == {
        ("nobody", "town-crier", None, 300, None),
        ("partial", "barometer", "some", 6000, 1000),
        ("unstamped", "bland", "bland-reader", 6000, 30),
        ("unknown_sender", None, "orphan", None, 225),
        ("unknown_sender", None, "half-orphan", None, 30),
        ("unknown_sender", None, "told-listener", None, 50),
        ("unstamped", "voiceless", "reader-of-voiceless", 500, 400),
        ("unstamped", "voiceless-among-others", "reader-of-voiceless-among-others", 500, 400),
        ("routed", "bland-hub", "bland-hub-a", 40, 20),
        ("routed", "bland-hub", "bland-hub-b", 40, 15),
        ("routed", "lossy-hub", "lossy-hub-a", 40, 20),
        ("routed", "lossy-hub", "lossy-hub-b", 40, 15),
    }
    assert [row for row in report["ledger"] if row["name"] == "lossy-hub"] == []


def test_how_many_are_missing_at_most_is_told_where_two_have_nobody_else(report: Json) -> None:
    missing = {item["receiver_name"]: item["missing_at_most"] for item in own(report["not_checked"])}
    assert {name: count for name, count in missing.items() if count is not None} == {
        "bland-reader": 5970,
        "reader-of-voiceless": 100,
    }


def test_of_what_is_shared_out_it_is_told_how_many_all_together_received(report: Json) -> None:
    by_all = {item["receiver_name"]: item["received_by_all"] for item in own(report["not_checked"])}
    assert {name: count for name, count in by_all.items() if count is not None} == {
        "bland-hub-a": 35,
        "bland-hub-b": 35,
        "lossy-hub-a": 35,
        "lossy-hub-b": 35,
    }


def test_where_the_counts_agree_that_is_told(report: Json) -> None:
    keys = ("name", "receiver_name", "sent", "received", "agreed_on")
    assert {tuple(item[key] for key in keys) for item in own(report["agreed_by_count"])} == {
        ("sound", "sound-reader", 6000, 6000, 6000),
        ("sound-hub", "sound-hub-a", 40, 20, 40),
        ("sound-hub", "sound-hub-b", 40, 20, 40),
    }


def test_who_got_messages_of_a_bare_sender_is_told_what_to_do(report: Json) -> None:
    (told,) = (item for item in report["not_checked"] if item["receiver_name"] == "orphan")
    assert told["text"].startswith("orphan: 225 messages came without stamps: who sent them is not wrapped")
    assert told["advice"].startswith("Wrap the sender too")
