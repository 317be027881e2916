"""The systems that a large fleet is made of, and how each loses messages."""

from collections.abc import Sequence

import numpy as np
from large_fleet_flows import (
    FRAMES,
    LAG,
    Flow,
    Reading,
    Truth,
    announce,
    count_rows,
    lane_rows,
    receive,
    send,
)
from large_fleet_messages import NONE, Drops, Numbers, Pace, drawn_drops
from large_fleet_site import Host, Site, Socket

BEGINS, ENDS = 5.0, 3565.0
CONNECTED = 1.0
JOINED_LATE, ENDED_EARLY = 300.0, 2400.0
SEEN_TO_GO = 0.001
"""Seconds until a sender has seen a receiver go; what it sends meanwhile is owed, too."""
MESSAGES_A_GAP = 100
Hosts = Sequence[Host]
Told = tuple[Reading, Numbers, str]
"""How a receiver reads, the onsets of its pipe, and what the kernel says that limits it."""


def publish(
    site: Site,
    truth: Truth,
    pace: Pace,
    topics: tuple[str, ...],
    hosts: Hosts,
    readers: int,
    lossy: Sequence[str] = (),
) -> None:
    """A PUB and its SUBs; the first of those lose messages, each for one reason."""
    topics = tuple(topic.encode().hex() for topic in topics)
    flow = Flow(site.socket(hosts[0], f"feed-{site.number}", "PUB", bound=True), pace, topics)
    onsets = [NONE]
    for index in range(readers):
        cause = lossy[index] if index < len(lossy) else None
        onsets.append(subscribe(site, truth, flow, hosts[1 + index % (len(hosts) - 1)], cause))
    send(site, flow, np.concatenate(onsets))


def subscribe(site: Site, truth: Truth, flow: Flow, host: Host, cause: str | None) -> Numbers:
    """A reader of a stream, and the onsets of its pipe."""
    pace, feed = flow.pace, flow.sender
    reading, onsets, limited = READINGS[cause](site, flow) if cause else (Reading(), NONE, "neither")
    receiver = site.socket(host, f"reader-{site.number}", "SUB", alone=cause == "receiver_died")
    joined = JOINED_LATE if cause == "slow_joiner" else CONNECTED
    for topic in reading.topics or [""]:
        site.tell(host, "subscription", joined - 0.02, process=receiver.process.id, n=receiver.process.events(), socket=receiver.id, action="subscribe", topic=topic)  # fmt: skip
    connection = site.connect(feed, receiver, joined, sent_by=feed, sent=reading.gone)
    owed = pace.total
    if cause == "receiver_died":
        died = ENDED_EARLY + host.phase
        owed = flow.sent_by(died + SEEN_TO_GO)
        site.ends(receiver, died, "killed")
        site.disconnect(connection, died + SEEN_TO_GO, sent_by=feed, sent=owed)
    for first, last in (
        zip(reading.drops.first, reading.drops.last, strict=True) if cause == "reconnect" else ()
    ):
        down, up = pace.sent_at(first) - 0.0005, pace.sent_at(last) + 0.0005
        site.disconnect(connection, down, sent_by=feed, sent=int(first))
        connection = site.connect(feed, receiver, up, sent_by=feed, sent=int(last) + 1)
    (delivered,) = receive(site, receiver, [(flow, reading)])
    site.watch(connection, np.arange(joined + 2 + host.phase, ENDS, max(10.0, pace.every)), limited)
    wanted = sum(int(flow.in_lane(lane, np.asarray([owed]))[0]) for lane, topic in enumerate(flow.topics)
                 if not reading.topics or topic in reading.topics)  # fmt: skip
    truth.owed(feed, receiver, wanted, delivered)
    truth.lost(feed, (feed, receiver), wanted - delivered, cause or "none")
    return onsets


def _too_slow(site: Site, flow: Flow) -> Told:
    pace = flow.pace
    drops = drawn_drops(site.chance, pace.total, min(2400, pace.total // 100), 0.2)
    return Reading(drops, capacity=pace.burst / pace.every * 0.82), drops.first, "receiver"


def _too_slow_all_the_time(site: Site, flow: Flow) -> Told:
    """Nearly all that happens in the fleet happens between these two."""
    pace = flow.pace
    drops = drawn_drops(site.chance, pace.total, pace.total // MESSAGES_A_GAP, 0.2)
    return Reading(drops, capacity=pace.burst / pace.every * 0.82), drops.first, "receiver"


def _slow_network(site: Site, flow: Flow) -> Told:
    reading, onsets, _limited = _too_slow(site, flow)
    return reading, onsets, "network"


def _too_little_room(site: Site, flow: Flow) -> Told:
    drops = drawn_drops(site.chance, flow.pace.total, 200, 0.1)
    return Reading(drops), drops.first, "receiver"


def _cut_off(_site: Site, flow: Flow) -> Told:
    first = flow.pace.total // 4 * np.arange(1, 4)
    lost = flow.pace.burst * int(4 / flow.pace.every)
    return Reading(Drops(first, first + lost - 1)), NONE, "neither"


def _late(_site: Site, flow: Flow) -> Told:
    return Reading(gone=flow.sent_by(JOINED_LATE)), NONE, "neither"


def _killed(_site: Site, flow: Flow) -> Told:
    unread = max(20, int(flow.pace.burst / flow.pace.every * 20))
    return Reading(stops_at=flow.sent_by(ENDED_EARLY) - unread), NONE, "neither"


def _choosy(_site: Site, flow: Flow) -> Told:
    return Reading(topics=flow.topics[: len(flow.topics) // 2]), NONE, "neither"


READINGS = {"slow_receiver": _too_slow, "slow_receiver all the time": _too_slow_all_the_time, "network": _slow_network, "hwm_too_low": _too_little_room, "reconnect": _cut_off,
            "slow_joiner": _late, "receiver_died": _killed, "other topics": _choosy}  # fmt: skip
"""How a receiver reads that loses messages for this reason (the last one loses nothing)."""


def through_proxy(site: Site, truth: Truth, paces: Sequence[Pace], hosts: Hosts, readers: int) -> None:
    """Two PUBs, a proxy and its SUBs: the first PUB drops some for all of them, the proxy some for the first of them."""
    front = site.socket(hosts[1], f"hub-{site.number}-in", "XSUB", stamped=False)
    back = site.socket(hosts[1], f"hub-{site.number}-out", "XPUB", stamped=False, bound=True)
    site.tell(hosts[1], "proxy", 0.9, process=front.process.id, n=front.process.events(), state="started", proxy=f"{site.number:08x}{front.id[:8]}",
              name=f"hub-{site.number}", frontend=front.id, backend=back.id, frontend_type="XSUB", backend_type="XPUB")  # fmt: skip
    flows, before, arrived = [], [], 0
    for index, pace in enumerate(paces):
        feed = site.socket(hosts[index * 2], f"source-{site.number}", "PUB", bound=True)
        flow = Flow(feed, pace, (f"topic-{index}".encode().hex(),))
        drops = drawn_drops(site.chance, pace.total, 1000, 0.1) if index == 0 else Drops()
        connection = site.connect(feed, front, CONNECTED, sent_by=feed)
        site.watch(
            connection, np.arange(3, ENDS, max(10.0, pace.every)), "receiver" if index == 0 else "neither"
        )
        send(site, flow, drops.first)
        flows.append(flow)
        before.append(drops)
        truth.lost(feed, (feed, front), drops.total, "hwm_too_low")
        arrived = arrived + drops.got_of(pace.sent_by(front.ticks - LAG))
    _count_proxied(site, front, back, arrived)
    for index in range(readers):
        behind = drawn_drops(site.chance, paces[0].total, 1000, 0.1, half=1) if index == 0 else Drops()
        reader = site.socket(hosts[3 + index % (len(hosts) - 3)], f"client-{site.number}", "SUB")
        site.tell(reader.host, "subscription", 0.98, process=reader.process.id, n=reader.process.events(), socket=reader.id, action="subscribe", topic="")  # fmt: skip
        connection = site.connect(back, reader, CONNECTED, sent_by=back)
        site.watch(connection, np.arange(3, ENDS, 10.0), "receiver" if index == 0 else "neither")
        readings = [Reading(before[0] | behind), Reading()]
        got = receive(site, reader, list(zip(flows, readings, strict=True)))
        for flow, delivered in zip(flows, got, strict=True):
            truth.owed(flow.sender, reader, flow.pace.total, delivered)
        truth.lost(flows[0].sender, (back, reader), behind.total, "hwm_too_low")


def _count_proxied(site: Site, front: Socket, back: Socket, arrived: Numbers) -> None:
    nothing = np.zeros(len(arrived), np.int64)
    frames, size = arrived * FRAMES, arrived * 250
    counted = {
        "proxied_in_frames": frames,
        "proxied_in_bytes": size,
        "proxied_out_frames": nothing,
        "proxied_out_bytes": nothing,
    }
    turned = {
        "proxied_in_frames": nothing,
        "proxied_in_bytes": nothing,
        "proxied_out_frames": frames,
        "proxied_out_bytes": size,
    }
    at = (front.ticks * 1e9).astype(np.int64)
    for side, figures in ((front, counted), (back, turned)):
        count_rows(site, side, front.ticks, proxied_at=np.where(arrived > 0, at, 0), **figures)


def share_out(site: Site, truth: Truth, pace: Pace, hosts: Hosts, pullers: int, how: str | None) -> None:
    """A PUSH and its PULLs; the last one ends with messages unread, if ``how`` says in which way."""
    push = site.socket(hosts[0], f"jobs-{site.number}", "PUSH", bound=True)
    flow = Flow(push, pace, ("",))
    left = ENDED_EARLY + hosts[0].phase if how else 1e6
    sent_then = flow.sent_by(left + SEEN_TO_GO)
    for index in range(pullers):
        host = hosts[1 + index % (len(hosts) - 1)]
        leaves = how is not None and index == pullers - 1
        pull = site.socket(host, f"worker-{site.number}", "PULL", alone=leaves)
        connection = site.connect(push, pull, CONNECTED, sent_by=push)
        unread = 50 if leaves else 0
        if leaves:
            site.ends(pull, left, "closed" if how == "closed" else "killed")
            site.disconnect(connection, left + SEEN_TO_GO, sent_by=push, sent=sent_then)
        at = pull.ticks
        position = pace.sent_by(at - LAG)
        early, late = np.minimum(position, sent_then), np.maximum(position - sent_then, 0)
        of_early = (early - index + pullers - 1) // pullers
        of_late = (
            (late - index + pullers - 2) // (pullers - 1)
            if how and not leaves
            else np.zeros(len(at), np.int64)
        )
        most = (sent_then - index + pullers - 1) // pullers
        count = np.minimum(of_early + of_late, most - unread) if leaves else of_early + of_late
        newest = np.where(
            of_late > 0, sent_then + (of_late - 1) * (pullers - 1) + index, (count - 1) * pullers + index
        )
        next_ = np.where(count > 0, newest + 1, 0)
        announce(site, pull, push, 0, "", BEGINS + 0.01)
        lane_rows(site, pull, push, 0, at, count, since=0, first=np.where(count > 0, index, 0), next=next_,
                  newest_sent_at=pace.sent_at(np.maximum(next_ - 1, 0)) + push.host.skew)  # fmt: skip
        count_rows(site, pull, at, received=count, received_bytes=count * 200, waited_receives=count)
        site.watch(connection, np.arange(3 + host.phase, ENDS, max(10.0, pace.every)), "neither")
        delivered = int(count[-1])
        truth.owed(push, pull, delivered + unread, delivered)
        truth.lost(push, (push, pull), unread, "closed" if how == "closed" else "receiver_died")
    send(site, flow, NONE)


def gather(site: Site, truth: Truth, pace: Pace, hosts: Hosts, pushers: int) -> None:
    """Several PUSHes to one PULL, which gets everything."""
    pull = site.socket(hosts[0], f"sink-{site.number}", "PULL", bound=True)
    flows = []
    for index in range(pushers):
        push = site.socket(hosts[1 + index % (len(hosts) - 1)], f"producer-{site.number}", "PUSH")
        connection = site.connect(pull, push, CONNECTED, sent_by=push)
        site.watch(connection, np.arange(3, ENDS, max(10.0, pace.every)), "neither")
        flows.append(Flow(push, pace, ("",)))
        send(site, flows[-1], NONE)
    got = receive(site, pull, [(flow, Reading()) for flow in flows])
    for flow, delivered in zip(flows, got, strict=True):
        truth.owed(flow.sender, pull, pace.total, delivered)
