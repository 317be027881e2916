"""A journal that has every event of FORMAT.md."""

from journal_writer import JournalWriter

SOCKET = "00000000000000a1"


def write_every_event(writer: JournalWriter) -> None:
    """Of one socket, with a slot whose counters say one message."""
    writer.opened(SOCKET)
    writer.event("option", socket=SOCKET, option="rcvhwm", value=7)
    writer.event("bind", socket=SOCKET, endpoint="tcp://127.0.0.1:5555")
    writer.event("subscribe", socket=SOCKET, topic="6162")
    writer.event("monitor", socket=SOCKET, state="attached")
    link = {
        "endpoint": "tcp://127.0.0.1:5555",
        "local": "a",
        "remote": None,
        "accepted": True,
        "sent": 1,
        "received": 2,
    }
    writer.event("connected", socket=SOCKET, connection=1, **link)
    writer.event("handshake", socket=SOCKET, endpoint="tcp://127.0.0.1:5555", sent=1, received=2)
    writer.event("disconnected", socket=SOCKET, connection=1, **link)
    writer.event("retried", socket=SOCKET, endpoint="tcp://127.0.0.1:5555")
    writer.event("handshake_failed", socket=SOCKET, endpoint="tcp://127.0.0.1:5555", reason="EPROTO")
    writer.event("lane", socket=SOCKET, stream=SOCKET, lane=0, topic="", slot=None)
    lost = {"socket": SOCKET, "stream": SOCKET, "lane": 0}
    sent_at = {"before_sent_at": 10**18, "after_sent_at": 10**18 + 1}
    writer.event("gap", **lost, first=3, last=4, before=2, after=5, **sent_at, received=4)
    writer.event("late", **lost, number=4)
    writer.event("skipped", **lost, first=6, last=8)
    writer.event("onset", socket=SOCKET, number=1, lane=0, lane_number=1)
    writer.event("probing_stopped", socket=SOCKET)
    swallowed = {"number": 2, "lane": 0, "lane_number": 2, "messages": 3}
    writer.event("unroutable", socket=SOCKET, **swallowed, reason="unknown_peer", peer="6162")
    sides = {"frontend": SOCKET, "backend": SOCKET, "frontend_type": "XSUB", "backend_type": "XPUB"}
    writer.event("proxy", proxy=SOCKET, name="relay", **sides)
    writer.event("proxy_ended", proxy=SOCKET, name="relay", counted_at=10**18, frontend_counts=[1], **sides)
    writer.event("finding", socket=SOCKET, rule="conflate", text="t", advice="a")
    writer.event("fault", socket=SOCKET, text="t")
    writer.event("unsubscribe", socket=SOCKET, topic="6162")
    writer.event("unbind", socket=SOCKET, endpoint="tcp://127.0.0.1:5555")
    writer.set_counters(SOCKET, 0, sent=1)
