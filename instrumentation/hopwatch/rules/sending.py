"""What comes to light while a socket sends, and what it loses of that when it closes."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp

KEEPING_TYPES = ("PUSH", "DEALER")
"""Types that wait for room instead of dropping: an application that uses them means each message to arrive."""


def nodrop_blocks(setup: SetUp, _moment: Moment) -> Finding | None:
    """A publisher waited, which only XPUB_NODROP makes it do."""
    if setup.type_name not in {"PUB", "XPUB"}:
        return None
    return Finding(
        rule="nodrop_blocks",
        text=f"This {setup.type_name} has XPUB_NODROP on and waited: one subscriber with a full pipe holds up all the others.",
        advice="Send with DONTWAIT and decide on EAGAIN what to do, or do without XPUB_NODROP and let hopwatch count the drops.",
    )


def dontwait_never_raises(setup: SetUp, _moment: Moment) -> Finding | None:
    """A publisher is sent on as if it could refuse (with XPUB_NODROP it does, and where that is not known it is not looked at)."""
    if setup.option("xpub_nodrop") != 0:
        return None
    return Finding(
        rule="dontwait_never_raises",
        text=(
            f"This {setup.type_name} was sent on with DONTWAIT, which changes nothing: without XPUB_NODROP a {setup.type_name} never waits and never raises "
            "EAGAIN. What meets a subscriber's full pipe it drops for that one, without a word."
        ),
        advice=(
            'Do not rely on zmq.Again to tell of drops: number the messages (sequence="stamp" at both ends), and each one that a subscriber lacks is told. '
            "To be refused instead, set XPUB_NODROP: a send with DONTWAIT then raises EAGAIN as long as the pipe of any subscriber to the message is full."
        ),
    )


def router_not_mandatory(setup: SetUp, _moment: Moment) -> Finding | None:
    """A ROUTER begins to send, without ROUTER_MANDATORY (with it, it is not looked at)."""
    if setup.option("router_mandatory") != 0:
        return None
    return Finding(
        rule="router_not_mandatory",
        text=(
            "ROUTER_MANDATORY of this ROUTER is 0: what it sends to a routing id that no peer has, such as one that has just gone, or to a "
            "peer whose pipe is full (SNDHWM and the peer's RCVHWM), is thrown away without an error."
        ),
        advice=(
            "If each message matters, set ROUTER_MANDATORY to 1: a send to no peer then raises EHOSTUNREACH, and one to a full pipe waits, or "
            "raises EAGAIN with DONTWAIT. If messages to peers that have gone may go, leave it: hopwatch counts them (unroutable, onsets)."
        ),
    )


def conflate_multipart(setup: SetUp, _moment: Moment) -> Finding | None:
    """A message of several frames was sent on a socket that conflates: ZMQ_CONFLATE keeps one frame, not one message."""
    if setup.option("conflate") != 1:
        return None
    return Finding(
        rule="conflate_multipart",
        text=(
            f"This {setup.type_name} has ZMQ_CONFLATE on and sent a message of several frames: libzmq keeps or drops each frame by itself, "
            "so that most often the last one arrives alone, and at times another one does."
        ),
        advice="Send a single frame, or do without ZMQ_CONFLATE and let the receiver skip old messages.",
    )


def no_linger(setup: SetUp, moment: Moment) -> Finding | None:
    """LINGER 0, by the option, by ``close(linger=0)`` or by ``Context.destroy(linger=0)``: what is queued is thrown away."""
    if setup.type_name not in KEEPING_TYPES or setup.option("linger") != 0:
        return None
    if moment.kind is Kind.CLOSING and moment.value == 0:
        return None  # nothing was sent
    if all(endpoint.startswith("inproc://") for endpoint in setup.endpoints):
        return None  # over inproc it stays to be read
    return Finding(
        rule="no_linger",
        text=f"LINGER of this {setup.type_name} is 0: messages that are still queued when it closes are thrown away, sent or not.",
        advice=(
            "Set LINGER to the milliseconds that closing may take, and close without linger=0 "
            "(Context.destroy(linger=0) sets it on every socket). Where nothing is queued by then, such as after the last answer, it loses nothing."
        ),
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
