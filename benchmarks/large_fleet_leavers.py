"""One stream to the end of the hour, of which nothing is lost: of ten readers one leaves, one unsubscribes, one unsubscribes for a while, and the others read on.

Who reads on has not told of the newest messages yet, as in any fleet that runs: they are in flight.
"""

import numpy as np
from large_fleet_flows import LAG, Flow, Reading, Truth, receive
from large_fleet_messages import Drops
from large_fleet_site import HOUR_ENDS, Host, Site, Socket
from large_fleet_stories import CONNECTED

LEFT, AWAY = 600.0, 900.0
"""Seconds: when the first may leave, and how long a pause lasts."""
TENTH = 10
STAYS = "stays"
HOWS = {0: "leaves", 1: "unsubscribes", 2: "pauses"}
AFTER_A_BURST = 0.05


def read_and_leave(site: Site, truth: Truth, flow: Flow, host: Host, index: int) -> None:
    """A reader; every tenth leaves in one of three ways, at a time of its own."""
    how = HOWS.get(index % TENTH, STAYS)
    receiver = site.socket(host, f"reader-{site.number}", "SUB", alone=how == "leaves")
    went_at = _just_behind_a_burst(flow, LEFT + 17.3 * index)
    back_at = _just_behind_a_burst(flow, went_at + AWAY)
    _subscription(site, receiver, CONNECTED - 0.02, "subscribe")
    connection = site.connect(flow.sender, receiver, CONNECTED, sent_by=flow.sender)
    if how == "leaves":
        site.ends(receiver, went_at, "closed", unread=False)
        site.disconnect(connection, went_at, sent_by=flow.sender, sent=flow.sent_by(went_at))
    elif how != STAYS:
        _subscription(site, receiver, went_at, "unsubscribe")
    if how == "pauses":
        _subscription(site, receiver, back_at, "subscribe")
    reading = _reading(flow, receiver, how, went_at, back_at)
    (delivered,) = receive(site, receiver, [(flow, reading)])
    if how == "leaves":
        _last_word(site, receiver, flow, went_at, delivered)
    on_its_way = (
        0 if how in ("leaves", "unsubscribes") else _newest(flow) - flow.sent_by(receiver.ticks[-1] - LAG)
    )
    truth.owed(flow.sender, receiver, delivered + on_its_way, delivered, in_flight=on_its_way)
    site.watch(connection, np.arange(3 + host.phase, HOUR_ENDS, 10.0), "neither")


def _reading(flow: Flow, receiver: Socket, how: str, went_at: float, back_at: float) -> Reading:
    if how in ("leaves", "unsubscribes"):
        return Reading(stops_at=flow.sent_by(went_at))
    told_until = flow.sent_by(receiver.ticks[-1] - LAG)
    if how == STAYS:
        return Reading(stops_at=told_until)
    away = Drops(np.array([flow.sent_by(went_at)]), np.array([flow.sent_by(back_at) - 1]))
    return Reading(stops_at=told_until, not_owed=away)


def _last_word(site: Site, receiver: Socket, flow: Flow, at: float, delivered: int) -> None:
    """What it writes when it is closed."""
    newest = flow.pace.sent_at(np.asarray([delivered - 1])) + flow.sender.host.skew
    process = receiver.process
    site.tell(receiver.host, "lane", at, process=process.id, n=process.events(), socket=receiver.id, stream=flow.sender.id, lane=0, role="receive", state="final",
              count=delivered, since=0, first=0, next=delivered, newest_sent_at=newest)  # fmt: skip


def _newest(flow: Flow) -> int:
    """How many messages are known to have been sent: by the last that anybody told of who told of anything."""
    return flow.sent_by(HOUR_ENDS - LAG)


def _just_behind_a_burst(flow: Flow, at: float) -> float:
    pace = flow.pace
    return pace.begins + pace.every * np.floor((at - pace.begins) / pace.every) + AFTER_A_BURST


def _subscription(site: Site, receiver: Socket, at: float, action: str) -> None:
    process = receiver.process
    site.tell(receiver.host, "subscription", at, process=process.id, n=process.events(), socket=receiver.id, action=action, topic="")  # fmt: skip
