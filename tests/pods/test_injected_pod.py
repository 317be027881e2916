"""A pod that the injector has made, with an image that knows nothing of hopwatch: real containers, limits and losses."""

import json
from pathlib import Path
from typing import Any

import pytest
from agent_process import landed
from charts import CHART, objects, only, rendered
from kubelet import scheduled
from podman import played

from tests.pods.conftest import Feed, await_true

pytestmark = [
    pytest.mark.extended("images are built, and pods are played: minutes"),
    pytest.mark.timeout(1800),
]

Json = dict[str, Any]
MESSAGES = 3000


def analysed(feed: Feed, folder: Path) -> Json:
    """The report of the CronJob that the chart makes, of which a pod is played."""
    settings = ("landing.claim=events", "analysis.kind=CronJob")
    made = rendered("4", CHART, *(word for each in settings for word in ("--set", each)))
    template = only(objects(made), "CronJob")["spec"]["jobTemplate"]["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] |= {"name": "analysis"}
    folder.mkdir()
    (folder / "landed").symlink_to(feed.landed)
    with played(scheduled(pod, folder, folder), folder) as job:
        await_true(lambda: not job.state("analysis")["Running"], seconds=600)
        assert job.state("analysis")["ExitCode"] == 0, job.logs("analysis")
    report: Json = json.loads((folder / "reports" / "latest" / "report.json").read_text())
    return report


def test_what_an_injected_pod_loses_is_shown_landed_and_explained(feed: Feed, tmp_path: Path) -> None:
    sent = feed.sender.ask(MESSAGES)
    received = feed.receiver.ask("drain")
    missing = feed.lost(received, sent)
    assert missing > 0
    sent = feed.sender.ask(1)
    received = feed.receiver.ask("drain")
    assert feed.lost(received, sent) == missing

    shown = await_true(lambda: shown_to_have(feed, sent, missing))
    assert shown["receiver"]["process"]["place"] == {
        "namespace": "trading",
        "pod": "feed-0",
        "container": "receiver",
        "node": "node-7",
        "owner": "StatefulSet/feed",
    }
    await_true(lambda: sum(row["lost"] for row in landed(feed.landed, "gap")) == missing)
    report = analysed(feed, tmp_path / "analysis")
    (incident,) = report["incidents"]
    assert incident["lost"] == missing
    assert incident["cause"] in ("hwm_too_low", "slow_receiver")


def test_who_was_killed_for_memory_is_counted_to_the_last_message_and_so_told(
    feed_with_little_memory: Feed, tmp_path: Path
) -> None:
    feed = feed_with_little_memory
    feed.sender.ask(100)
    received = feed.receiver.ask("drain")
    sent = feed.sender.ask(100)
    memory = await_true(lambda: feed.sockets()["receiver"]["process"]["memory"])
    assert (memory["limit"], memory["oom_kills"]) == (64 * 2**20, 0)
    feed.receiver.tell("eat")
    await_true(lambda: not feed.pod.state("receiver")["Running"])
    assert feed.pod.state("receiver")["ExitCode"] == 137  # SIGKILL

    (killed,) = await_true(lambda: landed(feed.landed, "oom"))
    assert (killed["kills"], killed["vanished"], killed["limit"]) == (1, 1, 64 * 2**20)
    final = await_true(
        lambda: [row for row in landed(feed.landed, "counters") if row["final"] and row["received"]]
    )
    assert final[-1]["received"] == len(received)
    feed.pod.stop("sender")
    await_true(lambda: len([row for row in landed(feed.landed, "counters") if row["final"]]) == 2)
    report = analysed(feed, tmp_path / "analysis")
    (incident,) = report["incidents"]
    assert (incident["lost"], incident["cause"], incident["certainty"]) == (
        feed.lost(received, sent),
        "receiver_died",
        "exact",
    )
    assert [item["limit"] for item in incident["evidence"] if item["kind"] == "oom"] == [64 * 2**20]


def test_an_agent_that_is_killed_and_comes_again_has_lost_nothing(feed: Feed) -> None:
    feed.sender.ask(MESSAGES)
    feed.receiver.ask("drain")
    feed.sender.ask(1)
    feed.pod.kill("hopwatch-agent")
    feed.receiver.ask("drain")
    sent = feed.sender.ask(MESSAGES)
    feed.receiver.ask("drain")
    sent = feed.sender.ask(1)
    missing = feed.lost(feed.receiver.ask("drain"), sent)
    feed.pod.start("hopwatch-agent")
    feed.await_ready()

    await_true(lambda: shown_to_have(feed, sent, missing))
    await_true(lambda: sum(row["lost"] for row in landed(feed.landed, "gap")) == missing)
    await_true(lambda: feed.sockets()["receiver"]["process"]["memory"])


def test_all_is_landed_when_the_whole_pod_is_told_to_end(feed: Feed) -> None:
    sent = feed.sender.ask(MESSAGES)
    missing = feed.lost(feed.receiver.ask("drain"), sent)
    feed.sender.ask(50)
    received = len(feed.receiver.ask("drain"))
    feed.pod.stop_all()
    assert feed.pod.state("hopwatch-agent")["ExitCode"] == 0, feed.pod.logs("hopwatch-agent")
    last = [row for row in landed(feed.landed, "counters") if row["final"]]
    assert sorted((row["sent"], row["received"]) for row in last) == [(0, received), (sent + 50, 0)]
    assert sum(row["lost"] for row in landed(feed.landed, "gap")) == missing


def test_an_agent_that_is_ended_after_the_others_lands_the_rest_and_ends(feed: Feed) -> None:
    """Native sidecars are told to end when all other containers have."""
    feed.sender.ask(MESSAGES)
    feed.receiver.ask("drain")
    sent = feed.sender.ask(1)
    received = len(feed.receiver.ask("drain"))
    for part in ("sender", "receiver"):
        feed.pod.stop(part)
    feed.pod.stop("hopwatch-agent")
    assert feed.pod.state("hopwatch-agent")["ExitCode"] == 0, feed.pod.logs("hopwatch-agent")
    last = [row for row in landed(feed.landed, "counters") if row["final"]]
    assert sorted((row["sent"], row["received"]) for row in last) == [(0, received), (sent, 0)]


def test_an_agent_beside_the_others_outlives_one_that_works_on_when_all_are_told_to_end(
    feed_with_an_agent_beside: Feed,
) -> None:
    feed = feed_with_an_agent_beside
    feed.sender.ask("work on for 10")
    feed.pod.stop_all()
    assert feed.pod.state("hopwatch-agent")["ExitCode"] == 0, feed.pod.logs("hopwatch-agent")
    (last,) = [row["sent"] for row in landed(feed.landed, "counters") if row["final"] and row["sent"]]
    assert last == feed.sent_at_the_end()
    assert last > 50


def test_what_a_container_counted_before_each_of_its_crashes_is_landed(feed: Feed) -> None:
    feed.sender.ask(20)
    counts = [len(feed.receiver.ask("drain"))]
    for more in (10, 30):
        feed.receiver.tell("crash")
        await_true(lambda: not feed.pod.state("receiver")["Running"])
        feed.pod.start("receiver")
        await_true(lambda: feed.sender.ask(1) and feed.receiver.ask("drain"))  # it is subscribed
        feed.sender.ask(more)
        counts.append(len(feed.receiver.ask("drain")))
    feed.receiver.tell("crash")
    await_true(lambda: not feed.pod.state("receiver")["Running"])
    await_true(lambda: len(last_counts(feed)) == 3)
    assert sorted(last_counts(feed)) == sorted(counts)


def shown_to_have(feed: Feed, sent: int, missing: int) -> dict[str, Any] | None:
    """Both sockets, once what they have counted is so much."""
    found = feed.sockets()
    counted = found["sender"]["counters"]["sent"], found["receiver"]["counters"]["lost"]
    return found if counted == (sent, missing) else None


def last_counts(feed: Feed) -> list[int]:
    """What each process that received counted last."""
    rows = landed(feed.landed, "counters")
    return [row["received"] for row in rows if row["final"] and row["received"]]
