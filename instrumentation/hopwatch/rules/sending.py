"""What comes to light while a socket sends."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp


def nodrop_blocks(setup: SetUp, moment: Moment) -> Finding | None:
    """A publisher waited, which only XPUB_NODROP makes it do."""
    if moment.kind is not Kind.WAITED or setup.type_name not in {"PUB", "XPUB"}:
        return None
    return Finding(
        rule="nodrop_blocks",
        text=f"This {setup.type_name} has XPUB_NODROP on and waited: one subscriber with a full pipe holds up all the others.",
        advice="Send with DONTWAIT and decide on EAGAIN what to do, or do without XPUB_NODROP and let hopwatch count the drops.",
    )


def swallowed(reason: str) -> Finding:
    """A ROUTER swallowed a message; ``reason`` as in the journal's ``unroutable`` event."""
    if reason == "routing_id_alone":
        return Finding(
            rule="routing_id_alone",
            text="This ROUTER sent a routing id with no frame behind it: libzmq takes such a message and sends nothing.",
            advice="Send at least one frame behind the routing id, an empty one if need be.",
        )
    return Finding(
        rule="router_swallows",
        text="This ROUTER sent to a routing id that no peer has, and ROUTER_MANDATORY is off: libzmq took the message and threw it away.",
        advice="Set ROUTER_MANDATORY and handle EHOSTUNREACH, so that the application knows which messages have no taker.",
    )
