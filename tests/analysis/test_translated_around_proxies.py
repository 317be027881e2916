"""Who is behind a proxy has its sender's stamps, and so may seem to be at the other end of the sender's connection where addresses are translated."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


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


def behind_a_proxy_that_vanished(story: LandedFolder) -> None:
    """It was there until its node went, with its agent: nothing tells of its end, nor of its connections'. The last forty are lost with it."""
    story.socket("tug", "PUSH", closed=61, host="quay")
    story.socket("hoist", "PULL", closed=60, host="yard")
    story.socket("drawbridge-front", "PULL", host="moat")
    story.socket("drawbridge-back", "PUSH", host="moat", probed=False)
    story.proxy("drawbridge", "drawbridge-front", "drawbridge-back")
    end(story, "tug", 40, "10.5.0.11:5600", "10.5.9.1:42001", down=50.0)
    end(story, "drawbridge-front", 40, "10.5.0.12:30001", "10.96.0.60:3464")
    end(story, "drawbridge-back", 40, "10.5.0.12:5700", "10.5.9.1:42003")
    end(story, "hoist", 40, "10.5.0.13:30001", "10.96.0.61:5700", down=50.0)
    for side in ("drawbridge-front", "drawbridge-back"):
        story.counters(side, 49.5)
    story.sent("tug", 600, 50)
    story.got("hoist", "tug", 560, 0, 559, 50, newest=49.6)


def behind_a_proxy_with_the_port_of_all(story: LandedFolder) -> None:
    """All are bound to one port, by custom, and messages bear no numbers."""
    story.socket("foreman", "PUB", closed=61, host="quay", sequence="count")
    story.socket("mason", "SUB", closed=60, host="yard", sequence="count")
    story.subscribe("mason", "")
    story.socket("scaffold-front", "XSUB", closed=70, host="lock", sequence=None)
    story.socket("scaffold-back", "XPUB", closed=70, host="lock", sequence=None, probed=False)
    story.proxy("scaffold", "scaffold-front", "scaffold-back")
    end(story, "foreman", 0.1, "10.5.0.21:30001", "10.96.0.70:5800", down=60.5)
    end(story, "scaffold-front", 0.1, "10.5.0.22:5800", "10.5.9.1:43001", down=60.5)
    end(story, "scaffold-back", 0.1, "10.5.0.22:30002", "10.96.0.71:5800", down=60)
    end(story, "mason", 0.1, "10.5.0.23:5800", "10.5.9.1:43003", down=60)
    story.sent("foreman", 600, 40)
    counted = {"stream": "0" * 16, "lane": 0, "role": "count"}
    story.add("lane", "mason", 1, state="announced", topic="", **counted)
    story.add("lane", "mason", 45, state="sample", count=560, first=0, next=0, **counted)


def over_ipc_beside_proxies(story: LandedFolder) -> None:
    """One of two readers on the feed's own host is cut off for a while."""
    place = {"endpoint": "ipc:///run/lantern", "local": None, "remote": None}
    story.socket("lantern", "PUB", closed=61)
    story.add("endpoint", "lantern", 0, action="bind", endpoint=place["endpoint"])
    for reader, up, down in (("moth", 0.1, 20.0), ("gnat", 0.6, 60.0)):
        story.socket(reader, "SUB", closed=60)
        story.subscribe(reader, "")
        story.add("endpoint", reader, 0, action="connect", endpoint=place["endpoint"])
        times = ((up, down), (20.5, 60.0)) if reader == "moth" else ((up, down),)
        for came, went in times:
            for socket, accepted in ((reader, False), ("lantern", True)):
                story.connections += 1
                about = place | {"accepted": accepted, "connection": story.connections, "received": 0}
                story.add("connection", socket, came, action="connected", sent=int(came * 10), **about)
                story.add("connection", socket, went, action="disconnected", sent=int(went * 10), **about)
    story.sent("lantern", 600, 60)
    story.gap("moth", "lantern", 200, 204, (20.0, 20.5), received=200)
    story.got("moth", "lantern", 595, 0, 599, 60, newest=60)
    story.got("gnat", "lantern", 600, 0, 599, 60, newest=60)


STORIES = (
    behind_a_proxy,
    beside_a_proxy,
    behind_a_proxy_that_vanished,
    behind_a_proxy_with_the_port_of_all,
    over_ipc_beside_proxies,
)


def test_who_is_behind_a_proxy_is_not_taken_for_its_senders_peer(joint_report: Json) -> None:
    assert incidents(joint_report, "barge") == []
    assert row(joint_report, "barge", "crane")["lost"] == 0
    assert row(joint_report, "barge", None)["unexplained"] == 40


def test_whoever_lasted_as_long_is_the_senders_peer_though_a_proxy_has_the_port(joint_report: Json) -> None:
    assert [(hop, cause, lost) for hop, cause, _, lost in incidents(joint_report, "ferry")] == [
        ("ferry → porter", "reconnect", 40)
    ]


def test_of_a_proxy_that_vanished_nobody_knows_for_how_long_it_was_there(joint_report: Json) -> None:
    assert incidents(joint_report, "tug") == []
    assert row(joint_report, "tug", "hoist")["lost"] == 0


def test_the_port_of_all_tells_nothing_where_a_proxy_has_it_too(joint_report: Json) -> None:
    assert [item["hop"] for item in joint_report["hops"] if item["hop"].startswith("foreman →")] == []


def test_no_proxy_elsewhere_is_between_two_on_one_host(joint_report: Json) -> None:
    assert [(hop, cause, lost) for hop, cause, _, lost in incidents(joint_report, "lantern")] == [
        ("lantern → moth", "reconnect", 5)
    ]
