"""An incident names pods and workloads, where Kubernetes says of what a process is a part."""

import pytest
from landed_folder import LandedFolder
from stories import Json

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

AT_FEED = {
    "namespace": "trading",
    "pod": "feed-0",
    "container": "app",
    "node": "n1",
    "owner": "StatefulSet/feed",
}


def slow_pod(story: LandedFolder) -> None:
    story.socket("podded", "PUB", closed=50, probed=True, sequence="numbers")
    story.socket("unpodded", "SUB", closed=60, sequence="numbers", conflate=1)
    story.subscribe("unpodded", "")
    story.link("podded", "unpodded")
    story.place("podded", **AT_FEED)
    story.sent("podded", 1000, 40)
    story.got("unpodded", "podded", 900, 0, 999, 45)
    story.gap("unpodded", "podded", 100, 199, (10, 12), received=101)


STORIES = (slow_pod,)


def test_the_evidence_says_where_each_end_runs(joint_report: Json) -> None:
    (incident,) = (one for one in joint_report["incidents"] if one["hop"] == "podded → unpodded")
    (told,) = (one for one in incident["evidence"] if one["kind"] == "place")
    assert (told["from"], told["to"]) == (AT_FEED, None)
    assert told["text"] == (
        "podded runs in container app of pod trading/feed-0 (StatefulSet/feed), on node n1"
    )


def test_hops_say_where_their_ends_run(joint_report: Json) -> None:
    (hop,) = (one for one in joint_report["hops"] if one["hop"] == "podded → unpodded")
    assert hop["from"]["place"] == AT_FEED
    assert "place" not in hop["to"]
