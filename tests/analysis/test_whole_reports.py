"""Many small systems, told to the joint report: each test reads its own system's part."""

from itertools import pairwise

import pytest
from hopwatch_analysis.incidents.timeline import HOPS_SHOWN
from joint_docket import Reported
from landed_folder import LandedFolder, at, id_of
from page_reader import Element, read_page
from report_shape import SHAPE, fractions, misshapen, nonsense
from stories import (
    Json,
    bursts,
    hop,
    incidents,
    pub_sub,
    row,
    slow_and_fast,
    through_proxy,
    worker_cut_off_and_back,
)

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def one_wait_is_no_catching_up(story: LandedFolder) -> None:
    """It once found nothing to read, and reads at a fifth of the mean rate all the same."""
    pub_sub(story, "torrent", "trickle", sndhwm=10)
    story.sent("torrent", 4000, 40)
    story.got("trickle", "torrent", 3500, 0, 3999, 41)
    story.gap("trickle", "torrent", 1500, 1999, (15, 15.2), received=1501)
    story.onset("torrent", 1500, 15)
    for seconds, sent in ((0.5, 50), (15, 1500), (16, 2100), (40, 4000)):
        story.counters("torrent", seconds, sent=sent)
    for seconds, received, waits in ((5, 100, 1), (15, 300, 1), (16, 320, 1), (20, 400, 2), (40, 800, 2)):
        story.counters("trickle", seconds, received=received, waited_receives=waits)


def proxy_drops_for_one(story: LandedFolder) -> None:
    through_proxy(story, "throbs", "switch", "behind-slow", "behind-fast")
    story.sent("throbs", 500, 40)
    story.got("behind-fast", "throbs", 500, 0, 499, 40)
    story.got("behind-slow", "throbs", 400, 0, 499, 45)
    story.gap("behind-slow", "throbs", 100, 199, (5, 9))
    story.counters("switch-front", 59, final=True, proxied_in_frames=1000)


def pub_drops_before_the_proxy(story: LandedFolder) -> None:
    through_proxy(story, "bulletins", "repeater", "reader-1", "reader-2")
    story.sent("bulletins", 500, 40)
    story.onset("bulletins", 100, 5)
    story.got("reader-1", "bulletins", 400, 0, 499, 45)
    story.gap("reader-1", "bulletins", 100, 199, (5, 9))
    story.got("reader-2", "bulletins", 390, 0, 499, 45)
    story.gap("reader-2", "bulletins", 100, 209, (5, 9.5))
    story.counters("repeater-front", 59, final=True, proxied_in_frames=800)


def readers_leave_at_once(story: LandedFolder) -> None:
    """Neither was idle for a while before it was closed: one had read all that had reached it, the other had not."""
    through_proxy(story, "films", "cinema")
    for reader, unread in (("first-out", False), ("walk-out", True)):
        story.socket(reader, "SUB", closed=45, unread=unread)
        story.subscribe(reader, "")
        story.link("cinema-back", reader, down=45)
        story.got(reader, "films", 400, 0, 399, 44.9, newest=43.8)
    story.sent("films", 500, 44)
    story.counters("cinema-front", 59, final=True, proxied_in_frames=1000)


def reader_wrapped_late(story: LandedFolder) -> None:
    """Its monitor never saw the connection: the endpoint that it names leads to the proxy."""
    through_proxy(story, "sports", "pivot")
    story.socket("straggler", "SUB", opened=1, closed=55)
    story.subscribe("straggler", "")
    story.add("endpoint", "pivot-back", 0, action="bind", endpoint="tcp://0.0.0.0:7001")
    story.add("endpoint", "straggler", 1, action="endpoint", endpoint="tcp://127.0.0.1:7001")
    story.sent("sports", 500, 40)
    story.got("straggler", "sports", 400, 0, 499, 45)
    story.gap("straggler", "sports", 100, 199, (5, 9))
    story.counters("pivot-front", 59, final=True, proxied_in_frames=1000)


def one_reader_behind_a_proxy(story: LandedFolder) -> None:
    """Its gap is missing at all that are behind the proxy: only counts can tell where."""
    through_proxy(story, "counted", "brimful", "lone-1")
    story.sent("counted", 500, 40)
    story.got("lone-1", "counted", 450, 0, 499, 45)
    story.gap("lone-1", "counted", 100, 149, (5, 9))
    story.counters("brimful-front", 59, final=True, proxied_in_frames=1000)
    through_proxy(story, "uncounted", "dark", "lone-2", probed=False)
    story.sent("uncounted", 500, 40)
    story.got("lone-2", "uncounted", 450, 0, 499, 45)
    story.gap("lone-2", "uncounted", 100, 149, (5, 9))


def topics(story: LandedFolder) -> None:
    story.socket("weather", "PUB", closed=50)
    for reader, topic in (("oslo-only", "oslo"), ("everything", "")):
        story.socket(reader, "SUB", closed=60)
        story.subscribe(reader, topic)
        story.link("weather", reader)
    story.sent("weather", 100, 40, lane=0, topic="oslo")
    story.sent("weather", 100, 40, lane=1, topic="rome")
    story.got("oslo-only", "weather", 100, 0, 99, 40, lane=0)
    story.got("everything", "weather", 90, 0, 99, 40, lane=0)
    story.got("everything", "weather", 90, 0, 99, 40, lane=1)
    story.gap("everything", "weather", 50, 59, (4, 6), lane=0, around=(98, 120))
    story.gap("everything", "weather", 50, 59, (4, 6), lane=1, around=(99, 121))
    story.onset("weather", 100, 4, lane=0, lane_number=50)


def two_lanes_end_in_one_full_pipe(story: LandedFolder) -> None:
    """The receiver got all that was sent before the onset, and left at once: only the numbers tell of the pipe."""
    story.socket("markets", "PUB", closed=50)
    story.socket("hectic", "SUB", closed=20)
    story.subscribe("hectic", "")
    story.link("markets", "hectic", down=20, sent=200)
    for lane, topic in enumerate(("stocks", "bonds")):
        story.sent("markets", 100, 19.9, lane=lane, topic=topic, final=False)
        story.sent("markets", 100, 50, lane=lane, topic=topic)
    story.onset("markets", 160, 15, lane=0, lane_number=80)
    story.got("hectic", "markets", 80, 0, 79, 19.9, lane=0)
    story.got("hectic", "markets", 80, 0, 79, 19.9, lane=1)


def receiver_leaves_first(story: LandedFolder) -> None:
    story.socket("patient-sender", "PUB", closed=50)
    story.socket("departer", "SUB", closed=20, rcvhwm=100)
    story.subscribe("departer", "")
    story.link("patient-sender", "departer", down=20, sent=100)
    story.sent("patient-sender", 100, 19.9)
    story.got("departer", "patient-sender", 90, 0, 89, 19.9)


def dead_worker(story: LandedFolder) -> None:
    story.socket("assignments", "PUSH", closed=50)
    for worker in ("worker-1", "worker-2"):
        story.socket(worker, "PULL", closed=None if worker == "worker-1" else 60)
    story.killed("worker-1", 20)
    story.link("assignments", "worker-1", down=20, sent=500)
    story.link("assignments", "worker-2")
    story.sent("assignments", 1000, 40)
    story.got("worker-1", "assignments", 300, 0, 500, 20)
    story.got("worker-2", "assignments", 650, 1, 999, 45)


def dead_worker_of_a_sender_that_ends_last(story: LandedFolder) -> None:
    story.socket("duties", "PUSH", closed=70)
    for worker in ("helper-1", "helper-2"):
        story.socket(worker, "PULL", closed=None if worker == "helper-1" else 60)
    story.killed("helper-1", 20)
    story.link("duties", "helper-1", down=20, sent=500)
    story.link("duties", "helper-2", down=60, sent=1000)
    story.sent("duties", 1000, 45)
    story.got("helper-1", "duties", 300, 0, 500, 20)
    story.got("helper-2", "duties", 650, 1, 999, 59.9)


def closed_with_low_mark(story: LandedFolder) -> None:
    story.socket("ten", "PUSH", closed=5)
    story.socket("peruser", "PULL", closed=60, rcvhwm=1)
    story.link("ten", "peruser")
    story.sent("ten", 10, 5)
    story.got("peruser", "ten", 5, 0, 4, 6)


def closed_without_linger(story: LandedFolder) -> None:
    """LINGER came with the close, and the receiver read all that had reached it."""
    story.socket("heedless", "PUSH", closed=5, linger=-1)
    story.add("option", "heedless", 5, option="linger", value="0")
    story.socket("robbed", "PULL", closed=60, rcvhwm=10, unread=False)
    story.link("heedless", "robbed", down=5)
    story.sent("heedless", 500, 5)
    story.got("robbed", "heedless", 103, 0, 102, 6)


def marks_set_after_bind(story: LandedFolder) -> None:
    """One before its connection came, one just as it had come, and one when it had been there for long."""
    for name, seconds in (("set-before", 0.05), ("set-at-once", 0.1005), ("set-later", 1)):
        pub_sub(story, name, f"{name}-reader", sndhwm=1000, rcvhwm=50)
        story.add("endpoint", name, 0.01, action="bind", endpoint="tcp://127.0.0.1:5999")
        story.add("option", name, 0.005, option="sndhwm", value="200")
        story.add("option", name, seconds, option="sndhwm", value="100")
        story.sent(name, 1000, 40)
        story.got(f"{name}-reader", name, 900, 0, 999, 41)
        story.gap(f"{name}-reader", name, 500, 599, (5, 9))
        story.onset(name, 500, 5)


def killed_sender(story: LandedFolder) -> None:
    story.socket("overfull", "PUB")
    story.socket("witness", "SUB", closed=60)
    story.subscribe("witness", "")
    story.link("overfull", "witness")
    story.sent("overfull", 200, 20)
    story.got("witness", "overfull", 150, 0, 149, 25)
    story.killed("overfull", 20)
    story.onset("overfull", 180, 18)


def came_late(story: LandedFolder) -> None:
    pub_sub(story, "shuffled", "forbearing")
    story.sent("shuffled", 100, 40)
    story.got("forbearing", "shuffled", 93, 0, 99, 40)
    story.gap("forbearing", "shuffled", 50, 54, (4, 5))
    story.gap_event("late", "forbearing", "shuffled", 52, 52)
    story.gap_event("skipped", "forbearing", "shuffled", 60, 62)


def sparse_stamps(story: LandedFolder) -> None:
    """One stamp in sixteen: of some gaps only the count is known, and what came after the last stamp."""
    pub_sub(story, "thrifty", "lodger", "visitor", sndhwm=10, rcvhwm=10)
    story.sent("thrifty", 1000, 40)
    story.onset("thrifty", 100, 5)
    story.onset("thrifty", 113, 6)
    story.got("lodger", "thrifty", 954, 0, 992, 45, since=7)
    story.gap("lodger", "thrifty", 97, 111, (5, 6), around=(96, 112), lost=10)
    story.gap("lodger", "thrifty", 113, 127, (6, 7), around=(112, 128), lost=15)
    story.gap("lodger", "thrifty", 193, 223, (10, 11), around=(192, 224), lost=15)
    story.gap_event("late", "lodger", "thrifty", 208, 208)
    story.got("visitor", "thrifty", 976, 0, 975, 41, since=12)


def sparse_and_shared_out(story: LandedFolder) -> None:
    story.socket("errands", "PUSH", closed=5)
    for worker in ("hand-1", "hand-2"):
        story.socket(worker, "PULL", closed=60)
        story.link("errands", worker)
    story.sent("errands", 100, 5)
    story.got("hand-1", "errands", 41, 0, 81, 6, since=9)
    story.got("hand-2", "errands", 48, 1, 97, 6, since=2)


def carries(story: LandedFolder, socket: str, stream: str, first: int, last: int, count: int, *, epoch: int = 0,
            topic: str = "hashtx", at_: float = 1, lane: int = 0) -> None:  # fmt: skip
    """A lane of numbers that messages carry, at the sender (its own stream) or at a receiver (a stream of its making)."""
    role = "send" if socket == stream else "receive"
    name = stream if role == "send" else f"{socket} epoch {epoch}"
    about = {"stream": id_of(name), "lane": lane, "role": role}
    story.add(
        "lane", socket, at_, state="announced", topic=topic.encode().hex(), sequence="bitcoin_core", **about
    )
    frames = 3 * count if role == "send" else 0
    numbers = {"count": count, "frames": frames, "first": first, "next": last + 1}
    story.add("lane", socket, at_ + 5, state="final", **numbers, **about)


def carries_gap(story: LandedFolder, socket: str, first: int, last: int, *, epoch: int = 0) -> None:
    numbers = {"first": first, "last": last, "lost": last - first + 1}
    about = {"stream": id_of(f"{socket} epoch {epoch}"), "lane": 0, "action": "gap"}
    story.add("gap", socket, 4, **numbers, **about)


def carried_numbers(story: LandedFolder) -> None:
    """A node that restarted, its numbers read at both ends; and one that nobody wrapped."""
    for node, opened, closed in (("node-before", 0, 10), ("node-after", 20, 50)):
        story.socket(node, "PUB", opened=opened, closed=closed, sequence="bitcoin_core")
    story.socket("wallet", "SUB", closed=60, sequence="bitcoin_core")
    story.socket("abacus", "SUB", closed=60, sequence=None)
    for reader in ("wallet", "abacus"):
        story.subscribe(reader, "")
        for node in ("node-before", "node-after"):
            story.link(node, reader)
    carries(story, "node-before", "node-before", 100, 299, 200)
    carries(story, "node-after", "node-after", 0, 149, 150, at_=21)
    carries(story, "wallet", "?", 110, 289, 170, at_=2)
    carries_gap(story, "wallet", 200, 209)
    carries(story, "wallet", "?", 0, 149, 150, epoch=1, at_=22)
    story.socket("explorer", "SUB", closed=60, sequence="bitcoin_core")
    carries(story, "explorer", "?", 1000, 1099, 95)
    carries_gap(story, "explorer", 1050, 1054)


def unread_events(story: LandedFolder) -> None:
    pub_sub(story, "chatty", "forgetful")
    story.sent("chatty", 10, 10)
    story.got("forgetful", "chatty", 10, 0, 9, 10)
    story.add("fault", "chatty", 5, text="/run/a.0000.events, byte 7: half a line")
    story.add("fault", "chatty", 6, text="/run/a.0000.events: and 2 more unreadable lines up to byte 9")
    story.rows["process"].append(
        {
            "host": "box",
            "process": id_of("process of chatty"),
            "at": at(9),
            "state": "events_lost",
            "events_lost": 4,
        }
    )
    story.process("process of chatty", "started", 0)


def swallowing_routers(story: LandedFolder) -> None:
    """A worker comes back under its old routing id; another never comes; what went there is in no one's lanes."""
    story.socket("switchboard", "ROUTER", closed=50)
    story.socket("early", "DEALER", closed=10)
    story.socket("later", "DEALER", closed=60)
    story.link("switchboard", "early", down=10, sent=40)
    story.link("switchboard", "later", up=20, sent=60)
    story.sent("switchboard", 100, 40, lane=0, topic="worker")
    story.sent("switchboard", 30, 40, lane=1, topic="stranger")
    story.got("early", "switchboard", 40, 0, 39, 10, lane=0)
    story.got("later", "switchboard", 35, 60, 99, 45, lane=0)
    story.gap("later", "switchboard", 70, 74, (25, 26), lane=0)
    for first, messages in ((40, 1), (41, 19), (72, 3)):
        story.unroutable(
            "switchboard", 15, number=first, lane=0, lane_number=first, messages=messages, peer="worker"
        )
    story.unroutable("switchboard", 16, number=200, lane=1, lane_number=0, messages=30, peer="stranger")
    story.onset("switchboard", 70, 25, lane=0, lane_number=70)
    story.socket("plain-router", "ROUTER", closed=50)
    story.unroutable(
        "plain-router", 5, number=3, lane=None, messages=7, reason="routing_id_alone", peer="\0id"
    )


ENDS_THAT_DO_NOT_FIT = ("tape", "narrow-reader", "wide-reader", "placid", "busy-router", "pairs", "latest")


def ends_that_do_not_fit(story: LandedFolder) -> None:
    """Nothing is lost in any of them."""
    story.socket("tape", "PUB", closed=50, sndhwm=10, rcvhwm=1000)
    for reader, mark in (("narrow-reader", 10), ("wide-reader", 100_000)):
        story.socket(reader, "SUB", closed=60, rcvhwm=mark)
        story.subscribe(reader, "")
        story.link("tape", reader)
        story.got(reader, "tape", 4000, 0, 3999, 40)
    story.sent("tape", 4000, 40)
    for seconds, sent in ((5, 100), (6, 110), (7, 3000), (8, 3005), (20, 4000)):
        story.counters("tape", seconds, sent=sent, sent_bytes=200 * sent)
    for name, kind in (("placid", "PUB"), ("busy-router", "ROUTER")):
        story.socket(name, kind, closed=50, sndhwm=10, rcvhwm=10)
        story.socket(f"{name}-peer", "SUB" if kind == "PUB" else "DEALER", closed=60, rcvhwm=10)
        story.link(name, f"{name}-peer")
        for seconds in range(5, 20):
            story.counters(name, seconds, sent=3000 * seconds if kind == "PUB" else 3000 * (seconds > 8))
    story.socket("pairs", "PUSH", closed=50)
    story.socket("latest", "PULL", closed=60, conflate=1)
    story.link("pairs", "latest")
    story.counters("pairs", 20, sent=10, sent_more_frames=10)


def unwrapped_receiver(story: LandedFolder) -> None:
    """A bare SUB on the sender's host, and one that only looked in."""
    for name in ("to-bare", "looked-at"):
        story.socket(name, "PUB", closed=50)
        ends = {"local": "127.0.0.1:5556", "remote": f"127.0.0.1:{len(name)}"}
        event = {"connection": 77, "accepted": True, "sent": 0, "received": 0, **ends}
        story.add("connection", name, 1, action="connected", **event)
    story.add("connection", "looked-at", 1.9, action="disconnected", **event)


def receivers_that_tell_of_no_connections(story: LandedFolder) -> None:
    """A SUB wrapped after it had connected, alone; and another such one beside a bare one."""
    for name, remotes, port in (("to-late-one", (41,), 5557), ("to-late-one-and-bare", (42, 43), 5558)):
        story.socket(name, "PUB", closed=50)
        story.add("endpoint", name, 0, action="bind", endpoint=f"tcp://127.0.0.1:{port}")
        for remote in remotes:
            ends = {"local": f"127.0.0.1:{port}", "remote": f"127.0.0.1:{remote}"}
            story.one_end(name, 1, **ends, endpoint=f"tcp://127.0.0.1:{port}", accepted=True)
        story.socket(f"late-one-of-{name}", "SUB", opened=2, closed=60)
        story.add("endpoint", f"late-one-of-{name}", 2, action="endpoint", endpoint=f"tcp://127.0.0.1:{port}")


def subscriptions_turned_round(story: LandedFolder) -> None:
    """Each was sent the topic that it had not subscribed to, and lost nothing."""
    for sender, receiver, own in (
        ("looking-glass", "reflection", "invert_matching"),
        ("warden", "ward", "xpub_manual"),
    ):
        story.socket(sender, "XPUB", closed=50)
        story.socket(receiver, "SUB", closed=60)
        story.add("option", receiver if own == "invert_matching" else sender, 0.1, option=own, value="1")
        story.subscribe(receiver, "a")
        story.link(sender, receiver)
        story.sent(sender, 60, 40, lane=0, topic="a")
        story.sent(sender, 40, 40, lane=1, topic="b")
        story.got(receiver, sender, 40, 0, 39, 40, lane=1)
        story.counters(sender, 50, final=True, sent=100)
        story.counters(receiver, 60, final=True, received=40)


STORIES = (
    unwrapped_receiver,
    subscriptions_turned_round,
    receivers_that_tell_of_no_connections,
    carried_numbers,
    sparse_stamps,
    sparse_and_shared_out,
    unread_events,
    ends_that_do_not_fit,
    swallowing_routers,
    slow_and_fast,
    bursts,
    one_wait_is_no_catching_up,
    proxy_drops_for_one,
    pub_drops_before_the_proxy,
    readers_leave_at_once,
    reader_wrapped_late,
    one_reader_behind_a_proxy,
    topics,
    two_lanes_end_in_one_full_pipe,
    receiver_leaves_first,
    dead_worker,
    dead_worker_of_a_sender_that_ends_last,
    worker_cut_off_and_back,
    closed_with_low_mark,
    closed_without_linger,
    marks_set_after_bind,
    killed_sender,
    came_late,
)


@pytest.fixture
def report(joint_report: Json) -> Json:
    return joint_report


@pytest.fixture(scope="module")
def page(reported_stories: Reported) -> Element:
    return read_page((reported_stories.out / "report.html").read_text(encoding="utf-8"))


def test_every_ledger_row_and_every_hop_balances(report: Json) -> None:
    for item in (*report["ledger"], *report["hops"]):
        parts = ("delivered", "lost", "in_flight", "unexplained")
        assert item["sent"] == sum(item[part] for part in parts), item
        assert all(item[part] >= 0 for part in parts), item


def test_it_has_the_keys_that_others_build_on_and_every_incident_evidence_and_advice(report: Json) -> None:
    assert misshapen(report) + fractions(report) + nonsense(report) == []
    assert all(report[name] for name in SHAPE)
    assert all(incident["evidence"] and incident["advice"] for incident in report["incidents"])


def test_incidents_add_up_to_what_hops_lost(report: Json) -> None:
    assert sum(item["lost"] for item in report["incidents"]) == sum(item["lost"] for item in report["hops"])


def test_the_timeline_holds_all_that_the_worst_hops_lost(report: Json) -> None:
    lost = {item["hop"]: item["lost"] for item in report["hops"]}
    told = {
        item["hop"]: sum(item["lost"]) + item["lost_at_other_times"] for item in report["timeline"]["hops"]
    }
    assert told == {name: lost[name] for name in told}
    assert len(told) + report["timeline"]["hops_left_out"] == len(lost)
    rest = [count for name, count in lost.items() if name not in told]
    assert 0 < len(told) <= HOPS_SHOWN
    assert max(rest) <= min(told.values())
    assert all(one >= other for one, other in pairwise(told.values()))


def test_the_page_shows_what_the_report_says(report: Json, page: Element) -> None:
    lost = sum(item["lost"] for item in report["hops"])
    assert page.one("h1").text.startswith(f"✕LOST: {lost} messages on ")
    rows = page.one("section", id="ledger").one("table").rows()
    terms = ("sent", "delivered", "lost", "in_flight", "unexplained")
    assert [row[2:7] for row in rows] == [[f"{item[name]:,}" for name in terms] for item in report["ledger"]]
    assert len(page.one("section", id="hops").one("table").rows()) == len(report["hops"])
    assert page.one("section", id="topology").all("a", class_="way")
    assert len(page.one("section", id="timeline").all("figure")) == len(report["timeline"]["hops"])


def test_a_slow_subscriber_loses_exactly_what_begins_at_onsets(report: Json) -> None:
    assert hop(report, "quotes → sluggish") == {
        "sent": 1000,
        "delivered": 800,
        "lost": 200,
        "in_flight": 0,
        "unexplained": 0,
    }
    assert {item[1:3] for item in incidents(report, "quotes")} == {("slow_receiver", "exact")}


def test_a_fast_subscriber_beside_a_slow_one_lost_nothing(report: Json) -> None:
    assert row(report, "quotes", "fast")["causes"] == {}


def test_a_receiver_that_keeps_up_with_the_mean_rate_needs_a_higher_mark(report: Json) -> None:
    assert incidents(report, "bursty") == [("bursty → pursuer", "hwm_too_low", "inferred", 500)]


def test_a_receiver_that_is_far_too_slow_is_slow_though_it_once_had_to_wait(report: Json) -> None:
    assert [item[1] for item in incidents(report, "torrent")] == ["slow_receiver"]


def test_missing_behind_a_proxy_at_one_of_two_was_lost_behind_it(report: Json) -> None:
    assert incidents(report, "switch") == [("switch → behind-slow", "slow_receiver", "inferred", 100)]
    assert hop(report, "throbs → switch")["lost"] == 0


def test_missing_at_both_from_an_onset_on_was_lost_once_before_the_proxy(report: Json) -> None:
    assert hop(report, "bulletins → repeater") == {
        "sent": 500,
        "delivered": 400,
        "lost": 100,
        "in_flight": 0,
        "unexplained": 0,
    }
    assert incidents(report, "bulletins") == [("bulletins → repeater", "slow_receiver", "inferred", 100)]
    assert incidents(report, "repeater") == [("repeater → reader-2", "slow_receiver", "inferred", 10)]
    assert row(report, "bulletins", "reader-1")["lost"] == 100
    assert row(report, "bulletins", "reader-2")["lost"] == 110


def test_a_proxy_that_got_everything_lost_it_itself(report: Json) -> None:
    assert hop(report, "brimful → lone-1")["lost"] == 50
    assert hop(report, "counted → brimful")["lost"] == 0


def test_what_a_proxy_had_for_a_reader_that_left_nothing_unread_was_dropped_before(report: Json) -> None:
    assert row(report, "films", "first-out")["causes"] == {"slow_receiver": 100}
    assert ("cinema → walk-out", "closed", "inferred", 100) in incidents(report, "cinema")


def test_a_receiver_that_was_wrapped_late_is_found_by_the_endpoint_that_it_names(report: Json) -> None:
    assert hop(report, "pivot → straggler")["lost"] == 100
    assert hop(report, "sports → pivot")["lost"] == 0


def test_where_nothing_tells_the_hop_the_loss_stays_unexplained(report: Json) -> None:
    assert incidents(report, "uncounted") == incidents(report, "dark") == []
    assert row(report, "uncounted", "lone-2")["unexplained"] == 50


def test_topics_not_subscribed_to_are_not_owed(report: Json) -> None:
    assert row(report, "weather", "oslo-only")["sent"] == 100
    assert row(report, "weather", "oslo-only")["causes"] == {}


def test_a_full_pipe_loses_in_all_lanes_though_the_onset_is_in_one(report: Json) -> None:
    assert row(report, "weather", "everything")["causes"] == {"slow_receiver": 20}


def test_the_ends_of_all_lanes_were_dropped_where_the_receiver_stopped_at_the_onset(report: Json) -> None:
    assert row(report, "markets", "hectic")["causes"] == {"slow_receiver": 40}


def test_evidence_and_advice_speak_of_the_receiver_where_it_closed_first(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"] == "patient-sender → departer")
    assert found["cause"] == "closed"
    assert "departer was closed before it had read them" in [item["text"] for item in found["evidence"]]
    assert found["advice"][0].startswith("Read departer until")


def test_what_a_shared_out_stream_lacks_was_lost_by_the_worker_that_died(report: Json) -> None:
    assert incidents(report, "assignments") == [("assignments → worker-1", "receiver_died", "exact", 50)]
    assert hop(report, "assignments → worker-2")["lost"] == 0


def test_a_worker_that_read_the_last_number_of_all_lost_nothing_though_it_left_before_the_sender(
    report: Json,
) -> None:
    assert incidents(report, "duties") == [("duties → helper-1", "receiver_died", "exact", 50)]
    assert hop(report, "duties → helper-2")["lost"] == 0


def test_a_worker_that_was_cut_off_and_came_back_lost_what_the_others_did_not_get(report: Json) -> None:
    assert incidents(report, "parts") == [("parts → wobbly", "reconnect", "inferred", 20)]
    assert hop(report, "parts → firm")["lost"] == 0


def test_what_a_sender_had_queued_was_thrown_away_where_it_closed_with_linger_0(report: Json) -> None:
    assert incidents(report, "heedless") == [("heedless → robbed", "closed", "exact", 397)]
    found = next(item for item in report["incidents"] if item["hop"] == "heedless → robbed")
    assert [item["linger"] for item in found["evidence"] if item["kind"] == "linger"] == [0]
    assert found["advice"][0].startswith("Set LINGER of heedless")


@pytest.mark.parametrize(("sender", "mark"), [("set-before", 200), ("set-at-once", 200), ("set-later", 100)])
def test_a_mark_that_was_set_after_bind_holds_for_the_connections_of_that_time(
    report: Json, sender: str, mark: int
) -> None:
    found = next(item for item in report["incidents"] if item["hop"].startswith(f"{sender} →"))
    assert [item["sndhwm"] for item in found["evidence"] if item["kind"] == "marks"] == [mark]


def test_behind_an_onset_a_killed_senders_messages_had_been_dropped_before(report: Json) -> None:
    assert row(report, "overfull", "witness")["causes"] == {"sender_died": 30, "slow_receiver": 20}


def test_what_was_not_told_is_in_the_report(report: Json) -> None:
    process = id_of("process of chatty")
    told = {"process": process, "command": "process of chatty", "host": "box", "events": 4, "unreadable": 3}
    assert [each for each in report["events_lost"] if each["process"] == process] == [told]
    faults = [each for each in report["faults"] if each["process"] == process]
    assert len(faults) == 2
    assert faults[:1] == [
        {
            "at": "2100-05-04T12:00:05Z",
            "host": "box",
            "process": process,
            "socket": id_of("chatty"),
            "text": "/run/a.0000.events, byte 7: half a line",
        }
    ]


def test_a_router_lost_what_it_swallowed_whoever_it_was_for(report: Json) -> None:
    assert incidents(report, "switchboard") == [
        ("switchboard → a peer that was not there", "unroutable", "exact", 30),
        ("switchboard → later", "slow_receiver", "inferred", 2),
        ("switchboard → later", "unroutable", "exact", 23),
    ]
    assert row(report, "switchboard", "early")["causes"] == {}
    assert row(report, "switchboard", "later") | {"stream": "", "receiver": ""} == {
        "stream": "",
        "name": "switchboard",
        "receiver": "",
        "receiver_name": "later",
        "sent": 60,
        "delivered": 35,
        "lost": 25,
        "in_flight": 0,
        "unexplained": 0,
        "causes": {"slow_receiver": 2, "unroutable": 23},
    }
    assert hop(report, "switchboard → a peer that was not there")["lost"] == 30


def test_an_unroutable_message_names_whom_it_was_for_and_what_to_do(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"].startswith("plain-router →"))
    assert (found["cause"], found["lost"]) == ("unroutable", 7)
    assert "0x006964" in found["evidence"][1]["text"]
    assert "one frame behind the routing id" in found["advice"][0]


def test_ends_that_do_not_fit_are_found_before_anything_is_lost(report: Json) -> None:
    ids = {id_of(name) for name in ENDS_THAT_DO_NOT_FIT}
    of_these = [item for item in report["findings"] if item["socket"] in ids]
    found = {item["rule"]: item for item in of_these}
    assert set(found) == {"uneven_marks", "marks_below_burst", "conflate_multipart"}
    assert len(of_these) == len(found)  # neither "calm" nor "busy-router" has a mark below its burst
    assert "RCVHWM is 10 at narrow-reader and 100000 at wide-reader" in found["uneven_marks"]["text"]
    assert "sent 2890 messages within 1.0 s" in found["marks_below_burst"]["text"]
    assert "SNDHWM and RCVHWM to narrow-reader hold 20 (10 and 10)" in found["marks_below_burst"]["text"]
    advice = found["marks_below_burst"]["advice"]
    assert (
        "raise SNDHWM of tape to 5770, or RCVHWM of narrow-reader to 5770" in advice
    )  # half of 5780 are 2890
    assert "that takes 5760 messages more, 1.8 MB and more, at tape for each of its peers" in advice
    assert found["conflate_multipart"]["text"].startswith("latest has ZMQ_CONFLATE on, and pairs sends")
    assert incidents(report, "tape") == []


def test_late_and_skipped_numbers_are_not_missing(report: Json) -> None:
    assert row(report, "shuffled", "forbearing")["sent"] == 97
    assert row(report, "shuffled", "forbearing")["delivered"] == 93


def test_with_sparse_stamps_the_ledger_is_exact_and_the_cause_inferred(report: Json) -> None:
    guest = row(report, "thrifty", "lodger")
    assert {name: guest[name] for name in ("sent", "delivered", "lost")} == {
        "sent": 1000,
        "delivered": 961,
        "lost": 25,
    }
    assert guest["causes"] == {"slow_receiver": 25, "unexplained": 14}
    losses = [item for item in incidents(report, "thrifty") if item[0] == "thrifty → lodger"]
    assert losses == [("thrifty → lodger", "slow_receiver", "inferred", 25)]


def test_what_comes_after_the_last_stamp_is_delivered(report: Json) -> None:
    visitor = row(report, "thrifty", "visitor")
    assert (visitor["sent"], visitor["delivered"], visitor["causes"]) == (1000, 988, {"closed": 12})


def test_shares_of_a_sparsely_stamped_stream_add_up(report: Json) -> None:
    assert [row(report, "errands", f"hand-{i}")["delivered"] for i in (1, 2)] == [50, 50]
    assert incidents(report, "errands") == []


def test_carried_numbers_are_held_against_those_that_the_sender_sent(report: Json) -> None:
    before, after = row(report, "node-before", "wallet"), row(report, "node-after", "wallet")
    assert {name: before[name] for name in ("sent", "delivered")} == {"sent": 200, "delivered": 170}
    assert before["sent"] - before["delivered"] == before["lost"] + before["unexplained"] == 30
    assert (after["sent"], after["delivered"], after["causes"]) == (150, 150, {})


def test_a_receiver_that_does_not_read_the_numbers_is_owed_none(report: Json) -> None:
    assert [item for item in report["ledger"] if item["receiver_name"] == "abacus"] == []


def test_where_the_sender_is_not_wrapped_the_receiver_alone_tells_what_is_lost(report: Json) -> None:
    alone = row(report, "sender to explorer", "explorer")
    assert (alone["sent"], alone["delivered"]) == (100, 95)
    assert alone["lost"] + alone["unexplained"] == 5


@pytest.mark.parametrize(("sender", "receiver"), [("looking-glass", "reflection"), ("warden", "ward")])
def test_nobody_is_owed_what_it_subscribed_to_where_that_does_not_say_what_it_is_sent(
    report: Json, sender: str, receiver: str
) -> None:
    assert [item for item in report["ledger"] if item["receiver_name"] == receiver] == []
    assert incidents(report, sender) == []
    (said,) = (item for item in report["not_checked"] if item["receiver"] == id_of(receiver))
    assert (said["sent"], said["received"]) == (100, 40)
    assert "is not what it has subscribed to" in said["text"]


def test_a_stamped_sender_whose_receiver_nobody_wrapped_is_a_finding(report: Json) -> None:
    found = {
        item["socket"]: item["text"] for item in report["findings"] if item["rule"] == "receiver_not_wrapped"
    }
    of_these = {id_of(name) for name in ("to-bare", "looked-at", "to-late-one", "to-late-one-and-bare")}
    assert set(found) & of_these == {id_of("to-bare"), id_of("to-late-one-and-bare")}
    assert "of its connection to 127.0.0.1:7, on" in found[id_of("to-bare")]
    assert "of one of its connections, on" in found[id_of("to-late-one-and-bare")]
