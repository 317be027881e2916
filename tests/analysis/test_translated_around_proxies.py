"""Who is behind a proxy has its sender's stamps, and so may seem to be at the other end of the sender's connection where addresses are translated."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def end(
    story: LandedFolder, socket: str, seconds: float, local: str, remote: str, down: float | None = None
) -> None:
    """A connection that the socket called, if ``remote`` is a service's address, or accepted of a gateway."""
    called = remote.startswith("10.96.")
    about = {"local": local, "remote": remote, "accepted": not called}
    about["endpoint"] = f"tcp://{remote if called else local}"
    story.one_end(socket, seconds, local, remote, endpoint=about["endpoint"], accepted=not called)
    if down is not None:
        counts = {"connection": story.connections, "sent": 300, "received": 0}
        story.add("connection", socket, down, action="disconnected", **about, **counts)


def shared_out(story: LandedFolder, jobs: str, worker: str, proxy: str) -> None:
    """Forty of what is sent around a cut of the sender's connection do not arrive; the sender is bound, and the worker calls a service."""
    story.socket(jobs, "PUSH", closed=61, host="quay")
    story.socket(worker, "PULL", closed=60, host="yard")
    story.socket(f"{proxy}-front", "PULL", closed=70, host="lock")
    story.socket(f"{proxy}-back", "PUSH", closed=70, host="lock", probed=False)
    story.proxy(proxy, f"{proxy}-front", f"{proxy}-back")
    end(story, jobs, 0.1, "10.5.0.1:5600", "10.5.9.1:41001", down=20.0)
    end(story, jobs, 20.5, "10.5.0.1:5600", "10.5.9.1:41002")
    story.sent(jobs, 600, 40)


def behind_a_proxy(story: LandedFolder) -> None:
    """A second worker calls the proxy at its own address."""
    shared_out(story, "barge", "crane", "sluice")
    end(story, "sluice-front", 0.1, "10.5.0.2:30001", "10.96.0.50:3464", down=20.0)
    end(story, "sluice-front", 20.5, "10.5.0.2:30002", "10.96.0.50:3464", down=61)
    end(story, "sluice-back", 0.1, "10.5.0.2:5700", "10.5.9.1:41003", down=60)
    end(story, "crane", 0.1, "10.5.0.3:30001", "10.96.0.51:5700")
    story.socket("derrick", "PULL", closed=60, host="yard")
    story.link("sluice-back", "derrick")
    story.got("crane", "barge", 280, 0, 598, 45, newest=40)
    story.got("derrick", "barge", 280, 1, 599, 45, newest=40)


def beside_a_proxy(story: LandedFolder) -> None:
    """The worker called its sender; the proxy's connections were over long before."""
    shared_out(story, "ferry", "porter", "weir")
    end(story, "weir-front", 0.1, "10.5.0.2:30011", "10.96.0.52:3464", down=0.5)
    end(story, "weir-back", 0.1, "10.5.0.2:5710", "10.5.9.1:41013", down=0.6)
    end(story, "porter", 0.1, "10.5.0.3:30011", "10.96.0.53:5710", down=20.0)
    end(story, "porter", 20.5, "10.5.0.3:30012", "10.96.0.53:5710")
    story.got("porter", "ferry", 560, 0, 599, 45, newest=40)


STORIES = (behind_a_proxy, beside_a_proxy)


def test_who_is_behind_a_proxy_is_not_taken_for_its_senders_peer(joint_report: Json) -> None:
    assert incidents(joint_report, "barge") == []
    assert row(joint_report, "barge", "crane")["lost"] == 0
    assert row(joint_report, "barge", None)["unexplained"] == 40


def test_whoever_lasted_as_long_is_the_senders_peer_though_a_proxy_has_the_port(joint_report: Json) -> None:
    assert [(hop, cause, lost) for hop, cause, _, lost in incidents(joint_report, "ferry")] == [
        ("ferry → porter", "reconnect", 40)
    ]
