"""Many small systems, landed in one folder and analysed in one run: each test reads its own system's part."""

from typing import Any

import pytest
from hopwatch_analysis.job import analyze
from landed_folder import LandedFolder
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]

Json = dict[str, Any]


def pub_sub(story: LandedFolder, pub: str, *subs: str, closed: float | None = 50, **marks: int) -> None:
    story.socket(pub, "PUB", closed=closed, **marks)
    for sub in subs:
        story.socket(sub, "SUB", closed=60, **marks)
        story.subscribe(sub, "")
        story.link(pub, sub)


def through_proxy(story: LandedFolder, pub: str, proxy: str, *subs: str) -> None:
    story.socket(pub, "PUB", closed=50)
    front, back = f"{proxy}-front", f"{proxy}-back"
    story.socket(front, "XSUB", closed=60)
    story.socket(back, "XPUB", closed=60, probed=False)
    story.proxy(proxy, front, back)
    story.link(front, pub)
    for sub in subs:
        story.socket(sub, "SUB", closed=55)
        story.subscribe(sub, "")
        story.link(back, sub)


def slow_and_fast(story: LandedFolder) -> None:
    pub_sub(story, "quotes", "slow", "fast", sndhwm=10, rcvhwm=10)
    story.sent("quotes", 1000, 40)
    story.got("fast", "quotes", 1000, 0, 999, 40)
    story.got("slow", "quotes", 800, 0, 949, 45)
    story.gap("slow", "quotes", 100, 199, (2, 20), received=101)
    story.gap("slow", "quotes", 300, 349, (24, 30), received=201)
    for number in (100, 300, 950):
        story.onset("quotes", number, 2)


def bursts(story: LandedFolder) -> None:
    pub_sub(story, "bursty", "follower", sndhwm=10)
    story.sent("bursty", 4000, 40)
    story.got("follower", "bursty", 3500, 0, 3999, 41)
    story.gap("follower", "bursty", 1500, 1999, (15, 15.2), received=1501)
    story.onset("bursty", 1500, 15)
    for seconds, sent in ((5, 500), (15, 1500), (16, 2100), (40, 4000)):
        story.counters("bursty", seconds, sent=sent)
    for seconds, received, waits in (
        (5, 500, 400),
        (15, 1490, 1400),
        (16, 1600, 1410),
        (20, 1900, 1600),
        (40, 3500, 3000),
    ):
        story.counters("follower", seconds, received=received, waited_receives=waits)


def proxy_drops_for_one(story: LandedFolder) -> None:
    through_proxy(story, "ticks", "switch", "behind-slow", "behind-fast")
    story.sent("ticks", 500, 40)
    story.got("behind-fast", "ticks", 500, 0, 499, 40)
    story.got("behind-slow", "ticks", 400, 0, 499, 45)
    story.gap("behind-slow", "ticks", 100, 199, (5, 9))
    story.counters("switch-front", 59, final=True, proxied_in_frames=1000)


def pub_drops_before_the_proxy(story: LandedFolder) -> None:
    through_proxy(story, "news", "relay", "reader-1", "reader-2")
    story.sent("news", 500, 40)
    story.onset("news", 100, 5)
    story.got("reader-1", "news", 400, 0, 499, 45)
    story.gap("reader-1", "news", 100, 199, (5, 9))
    story.got("reader-2", "news", 390, 0, 499, 45)
    story.gap("reader-2", "news", 100, 209, (5, 9.5))
    story.counters("relay-front", 59, final=True, proxied_in_frames=800)


def one_reader_behind_a_proxy(story: LandedFolder) -> None:
    """Its gap is missing at all that are behind the proxy: only counts can tell where."""
    through_proxy(story, "counted", "full", "lone-1")
    story.sent("counted", 500, 40)
    story.got("lone-1", "counted", 450, 0, 499, 45)
    story.gap("lone-1", "counted", 100, 149, (5, 9))
    story.counters("full-front", 59, final=True, proxied_in_frames=1000)
    through_proxy(story, "uncounted", "dark", "lone-2")
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
    story.socket("hasty", "SUB", closed=20)
    story.subscribe("hasty", "")
    story.link("markets", "hasty", down=20, sent=200)
    story.sent("markets", 100, 19.9, lane=0, topic="stocks")
    story.sent("markets", 100, 19.9, lane=1, topic="bonds")
    story.onset("markets", 160, 15, lane=0, lane_number=80)
    story.got("hasty", "markets", 80, 0, 79, 19.9, lane=0)
    story.got("hasty", "markets", 80, 0, 79, 19.9, lane=1)


def receiver_leaves_first(story: LandedFolder) -> None:
    story.socket("patient-sender", "PUB", closed=50)
    story.socket("leaver", "SUB", closed=20, rcvhwm=100)
    story.subscribe("leaver", "")
    story.link("patient-sender", "leaver", down=20, sent=100)
    story.sent("patient-sender", 100, 19.9)
    story.got("leaver", "patient-sender", 90, 0, 89, 19.9)


def dead_worker(story: LandedFolder) -> None:
    story.socket("jobs", "PUSH", closed=50)
    for worker in ("worker-1", "worker-2"):
        story.socket(worker, "PULL", closed=None if worker == "worker-1" else 60)
    story.killed("worker-1", 20)
    story.link("jobs", "worker-1", down=20, sent=500)
    story.link("jobs", "worker-2")
    story.sent("jobs", 1000, 40)
    story.got("worker-1", "jobs", 300, 0, 500, 20)
    story.got("worker-2", "jobs", 650, 1, 999, 45)


def dead_worker_of_a_sender_that_ends_last(story: LandedFolder) -> None:
    story.socket("tasks", "PUSH", closed=70)
    for worker in ("helper-1", "helper-2"):
        story.socket(worker, "PULL", closed=None if worker == "helper-1" else 60)
    story.killed("helper-1", 20)
    story.link("tasks", "helper-1", down=20, sent=500)
    story.link("tasks", "helper-2", down=60, sent=1000)
    story.sent("tasks", 1000, 45)
    story.got("helper-1", "tasks", 300, 0, 500, 20)
    story.got("helper-2", "tasks", 650, 1, 999, 59.9)


def closed_with_low_mark(story: LandedFolder) -> None:
    story.socket("ten", "PUSH", closed=5)
    story.socket("reader", "PULL", closed=60, rcvhwm=1)
    story.link("ten", "reader")
    story.sent("ten", 10, 5)
    story.got("reader", "ten", 5, 0, 4, 6)


def late_joiner(story: LandedFolder) -> None:
    story.socket("radio", "PUB", closed=50)
    story.socket("late", "SUB", opened=10, closed=60)
    story.subscribe("late", "")
    story.link("radio", "late", up=10, sent=42)
    story.sent("radio", 200, 40)
    story.got("late", "radio", 155, 45, 199, 41)


def cut_and_back(story: LandedFolder) -> None:
    pub_sub(story, "feed", "remote", closed=50)
    story.rows["connection"] = [
        row for row in story.rows["connection"] if row["connection"] != story.connections
    ]
    story.link("feed", "remote", up=0.1, down=10)
    story.link("feed", "remote", up=12, sent=150)
    story.sent("feed", 300, 40)
    story.got("remote", "feed", 260, 0, 299, 41)
    story.gap("remote", "feed", 100, 139, (9.9, 12.3))


def killed_sender(story: LandedFolder) -> None:
    for pub, sub in (("mortal", "mourner"), ("overfull", "witness")):
        story.socket(pub, "PUB")
        story.socket(sub, "SUB", closed=60)
        story.subscribe(sub, "")
        story.link(pub, sub)
        story.sent(pub, 200, 20)
        story.got(sub, pub, 150, 0, 149, 25)
        story.killed(pub, 20)
    story.onset("overfull", 180, 18)


def still_running(story: LandedFolder) -> None:
    pub_sub(story, "alive", closed=None)
    story.socket("listening", "SUB")
    story.subscribe("listening", "")
    story.link("alive", "listening")
    story.sent("alive", 100, 60, final=False)
    story.got("listening", "alive", 95, 0, 94, 60, final=False)


def came_late(story: LandedFolder) -> None:
    pub_sub(story, "shuffled", "patient")
    story.sent("shuffled", 100, 40)
    story.got("patient", "shuffled", 93, 0, 99, 40)
    story.gap("patient", "shuffled", 50, 54, (4, 5))
    story.gap_event("late", "patient", "shuffled", 52, 52)
    story.gap_event("skipped", "patient", "shuffled", 60, 62)


def swallowing_routers(story: LandedFolder) -> None:
    """A worker comes back under its old routing id; another never comes; what went there is in no one's lanes."""
    story.socket("broker", "ROUTER", closed=50)
    story.socket("early", "DEALER", closed=10)
    story.socket("later", "DEALER", closed=60)
    story.link("broker", "early", down=10, sent=40)
    story.link("broker", "later", up=20, sent=60)
    story.sent("broker", 100, 40, lane=0, topic="worker")
    story.sent("broker", 30, 40, lane=1, topic="stranger")
    story.got("early", "broker", 40, 0, 39, 10, lane=0)
    story.got("later", "broker", 35, 60, 99, 45, lane=0)
    story.gap("later", "broker", 70, 74, (25, 26), lane=0)
    for first, messages in ((40, 1), (41, 19), (72, 3)):
        story.unroutable(
            "broker", 15, number=first, lane=0, lane_number=first, messages=messages, peer="worker"
        )
    story.unroutable("broker", 16, number=200, lane=1, lane_number=0, messages=30, peer="stranger")
    story.onset("broker", 70, 25, lane=0, lane_number=70)
    story.socket("plain-router", "ROUTER", closed=50)
    story.unroutable(
        "plain-router", 5, number=3, lane=None, messages=7, reason="routing_id_alone", peer="\0id"
    )


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
        story.counters("tape", seconds, sent=sent)
    story.socket("pairs", "PUSH", closed=50)
    story.socket("latest", "PULL", closed=60, conflate=1)
    story.link("pairs", "latest")
    story.counters("pairs", 20, sent=10, sent_more_frames=10)


STORIES = (
    ends_that_do_not_fit,
    swallowing_routers,
    slow_and_fast,
    bursts,
    proxy_drops_for_one,
    pub_drops_before_the_proxy,
    one_reader_behind_a_proxy,
    topics,
    two_lanes_end_in_one_full_pipe,
    receiver_leaves_first,
    dead_worker,
    dead_worker_of_a_sender_that_ends_last,
    closed_with_low_mark,
    late_joiner,
    cut_and_back,
    killed_sender,
    still_running,
    came_late,
)


@pytest.fixture(scope="module")
def report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Json:
    story = LandedFolder()
    for tell in STORIES:
        tell(story)
    folder = tmp_path_factory.mktemp("stories")
    return analyze(spark, [str(story.write(folder / "landed"))], folder / "out")


def hop(report: Json, label: str) -> dict[str, int]:
    found = next(item for item in report["hops"] if item["hop"] == label)
    return {name: found[name] for name in ("sent", "delivered", "lost", "in_flight", "unexplained")}


def row(report: Json, stream: str, receiver: str) -> Json:
    return next(
        item for item in report["ledger"] if (item["name"], item["receiver_name"]) == (stream, receiver)
    )


def incidents(report: Json, sender: str) -> list[tuple[str, str, str, int]]:
    found = [item for item in report["incidents"] if item["hop"].startswith(f"{sender} →")]
    return sorted((item["hop"], item["cause"], item["certainty"], item["lost"]) for item in found)


def test_every_ledger_row_and_every_hop_balances(report: Json) -> None:
    for item in (*report["ledger"], *report["hops"]):
        parts = ("delivered", "lost", "in_flight", "unexplained")
        assert item["sent"] == sum(item[part] for part in parts), item
        assert all(item[part] >= 0 for part in parts), item


def test_incidents_add_up_to_what_hops_lost(report: Json) -> None:
    assert sum(item["lost"] for item in report["incidents"]) == sum(item["lost"] for item in report["hops"])


def test_a_slow_subscriber_loses_exactly_what_begins_at_onsets(report: Json) -> None:
    assert hop(report, "quotes → slow") == {
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
    assert incidents(report, "bursty") == [("bursty → follower", "hwm_too_low", "exact", 500)]


def test_missing_behind_a_proxy_at_one_of_two_was_lost_behind_it(report: Json) -> None:
    assert incidents(report, "switch") == [("switch → behind-slow", "slow_receiver", "inferred", 100)]
    assert hop(report, "ticks → switch")["lost"] == 0


def test_missing_at_both_from_an_onset_on_was_lost_once_before_the_proxy(report: Json) -> None:
    assert hop(report, "news → relay") == {
        "sent": 500,
        "delivered": 400,
        "lost": 100,
        "in_flight": 0,
        "unexplained": 0,
    }
    assert incidents(report, "news") == [("news → relay", "slow_receiver", "exact", 100)]
    assert incidents(report, "relay") == [("relay → reader-2", "slow_receiver", "inferred", 10)]
    assert row(report, "news", "reader-1")["lost"] == 100
    assert row(report, "news", "reader-2")["lost"] == 110


def test_a_proxy_that_got_everything_lost_it_itself(report: Json) -> None:
    assert hop(report, "full → lone-1")["lost"] == 50
    assert hop(report, "counted → full")["lost"] == 0


def test_where_nothing_tells_the_hop_the_loss_stays_unexplained(report: Json) -> None:
    assert incidents(report, "uncounted") == incidents(report, "dark") == []
    assert row(report, "uncounted", "lone-2")["unexplained"] == 50


def test_topics_not_subscribed_to_are_not_owed(report: Json) -> None:
    assert row(report, "weather", "oslo-only")["sent"] == 100
    assert row(report, "weather", "oslo-only")["causes"] == {}


def test_a_full_pipe_loses_in_all_lanes_though_the_onset_is_in_one(report: Json) -> None:
    assert row(report, "weather", "everything")["causes"] == {"slow_receiver": 20}


def test_the_ends_of_all_lanes_were_dropped_where_the_receiver_stopped_at_the_onset(report: Json) -> None:
    assert row(report, "markets", "hasty")["causes"] == {"slow_receiver": 40}


def test_evidence_and_advice_speak_of_the_receiver_where_it_closed_first(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"] == "patient-sender → leaver")
    assert found["cause"] == "closed"
    assert "leaver was closed before it had read them" in [item["text"] for item in found["evidence"]]
    assert found["advice"][0].startswith("Read leaver until")


def test_what_a_shared_out_stream_lacks_was_lost_by_the_worker_that_died(report: Json) -> None:
    assert incidents(report, "jobs") == [("jobs → worker-1", "receiver_died", "exact", 50)]
    assert hop(report, "jobs → worker-2")["lost"] == 0


def test_a_worker_that_read_the_last_number_of_all_lost_nothing_though_it_left_before_the_sender(
    report: Json,
) -> None:
    assert incidents(report, "tasks") == [("tasks → helper-1", "receiver_died", "exact", 50)]
    assert hop(report, "tasks → helper-2")["lost"] == 0


def test_a_sender_that_closes_with_messages_unread_loses_them(report: Json) -> None:
    assert incidents(report, "ten") == [("ten → reader", "closed", "exact", 5)]


def test_a_late_subscriber_missed_what_was_sent_before_it_joined(report: Json) -> None:
    assert [item[1] for item in incidents(report, "radio")] == ["slow_joiner"]
    assert row(report, "radio", "late")["lost"] == 45


def test_messages_sent_while_the_connection_was_down_are_lost_to_the_reconnection(report: Json) -> None:
    assert incidents(report, "feed") == [("feed → remote", "reconnect", "inferred", 40)]


def test_messages_queued_in_a_killed_sender_died_with_it(report: Json) -> None:
    assert incidents(report, "mortal") == [("mortal → mourner", "sender_died", "exact", 50)]


def test_behind_an_onset_a_killed_senders_messages_had_been_dropped_before(report: Json) -> None:
    assert row(report, "overfull", "witness")["causes"] == {"sender_died": 30, "slow_receiver": 20}


def test_messages_on_their_way_are_not_lost(report: Json) -> None:
    assert incidents(report, "alive") == []
    assert row(report, "alive", "listening")["in_flight"] == 5


def test_a_router_lost_what_it_swallowed_whoever_it_was_for(report: Json) -> None:
    assert incidents(report, "broker") == [
        ("broker → a peer that was not there", "unroutable", "exact", 30),
        ("broker → later", "slow_receiver", "exact", 2),
        ("broker → later", "unroutable", "exact", 23),
    ]
    assert row(report, "broker", "early")["causes"] == {}
    assert row(report, "broker", "later") | {"stream": "", "receiver": ""} == {
        "stream": "",
        "name": "broker",
        "receiver": "",
        "receiver_name": "later",
        "sent": 60,
        "delivered": 35,
        "lost": 25,
        "in_flight": 0,
        "unexplained": 0,
        "causes": {"slow_receiver": 2, "unroutable": 23},
    }
    assert hop(report, "broker → a peer that was not there")["lost"] == 30


def test_an_unroutable_message_names_whom_it_was_for_and_what_to_do(report: Json) -> None:
    found = next(item for item in report["incidents"] if item["hop"].startswith("plain-router →"))
    assert (found["cause"], found["lost"]) == ("unroutable", 7)
    assert "0x006964" in found["evidence"][1]["text"]
    assert "one frame behind the routing id" in found["advice"][0]


def test_ends_that_do_not_fit_are_found_before_anything_is_lost(report: Json) -> None:
    found = {item["rule"]: item for item in report["findings"]}
    assert set(found) == {"uneven_marks", "marks_below_burst", "conflate_multipart"}
    assert "RCVHWM is 10 at narrow-reader and 100000 at wide-reader" in found["uneven_marks"]["text"]
    assert "sent 2890 messages within 1.0 s" in found["marks_below_burst"]["text"]
    assert "to narrow-reader hold at most 20" in found["marks_below_burst"]["text"]
    assert found["conflate_multipart"]["text"].startswith("latest has ZMQ_CONFLATE on, and pairs sends")
    assert incidents(report, "tape") == []


def test_late_and_skipped_numbers_are_not_missing(report: Json) -> None:
    assert row(report, "shuffled", "patient")["sent"] == 97
    assert row(report, "shuffled", "patient")["delivered"] == 93
