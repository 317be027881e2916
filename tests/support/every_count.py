"""A journal with something of all that processes tell and there are metrics of."""

from journal_writer import JournalWriter

SUB, PUB, ROUTER, PROXY = (f"{n:016x}" for n in range(1, 5))


def write_every_count(writer: JournalWriter) -> None:
    """Of sockets that are open."""
    counts = {"gaps": 2, "lost": 7, "reordered": 1, "duplicated": 3, "eagain_receives": 5}
    writer.opened(SUB, slot=0, kind="SUB", name="slow")
    writer.set_counters(SUB, 0, received=90, received_bytes=900, **counts)
    counts = {
        "onsets": 4,
        "eagain_sends": 6,
        "waited_sends": 2,
        "waited_ns": 1_500_000_000,
        "pending_sends": 8,
    }
    writer.opened(PUB, slot=1, kind="PUB", name="quotes")
    writer.set_counters(PUB, 1, sent=100, sent_bytes=1000, **counts)
    writer.opened(ROUTER, slot=2, kind="ROUTER", name="desk")
    writer.set_counters(ROUTER, 2, unroutable=9)
    writer.opened(PROXY, slot=3, kind="XPUB", name="feed")
    writer.set_counters(
        PROXY, 3, proxied_in_frames=1, proxied_in_bytes=2, proxied_out_frames=3, proxied_out_bytes=4
    )
    place = {"socket": SUB, "endpoint": "tcp://10.0.0.1:5555"}
    for connection in (1, 2):
        writer.event("connected", connection=connection, **place)
        writer.event("handshake", **place)
        if connection == 1:
            writer.event("disconnected", connection=connection, **place)
    writer.event("handshake_failed", socket=PUB, endpoint="tcp://10.0.0.2:5555", reason=1)
    writer.event("finding", socket=SUB, rule="conflate_refused", text="t", advice="a")
