"""Findings: something wrong or risky in a live socket's set-up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, and what to do about it. ``rule`` is a short fixed name."""

    rule: str
    text: str
    advice: str


def stamp_refused(reason: str) -> Finding:
    """Stamps were asked for where they would break the socket."""
    return Finding(
        rule="stamp_refused",
        text=f"This socket's messages are not stamped: {reason}.",
        advice="Its losses can be counted only by comparing totals; use another socket type to have them numbered.",
    )


def conflate_refused() -> Finding:
    """ZMQ_CONFLATE, before or after the socket was wrapped."""
    return stamp_refused("ZMQ_CONFLATE keeps single frames only")


def zap_refused() -> Finding:
    """The socket of an authenticator."""
    return stamp_refused("it answers libzmq's questions of authentication, which takes no further frame")


def partial_lane(topic_known: bool) -> Finding:
    """A filtering receiver gets only some messages of a lane, so that it cannot check its numbers."""
    what = "a lane of one topic" if topic_known else "the lane that messages without a topic share"
    return Finding(
        rule="partial_lane",
        text=f"This receiver's subscriptions let through only a part of {what}: its gaps cannot be told from filtering.",
        advice="Send the topic as a frame of its own, or pass topic= to wrap() at the sender, or subscribe to everything.",
    )


def not_watched(reason: str) -> Finding:
    """No monitor was attached, and none of the application's is in its place."""
    return Finding(
        rule="connections_not_watched",
        text=f"Connections of this socket are not journaled: {reason}.",
        advice="Raise the context's MAX_SOCKETS before its first socket is made, or wrap fewer sockets.",
    )


def nodrop_unknown() -> Finding:
    """Onsets are not probed, because the socket's own XPUB_NODROP could not be read."""
    return Finding(
        rule="onsets_not_probed",
        text="Whether the application has set XPUB_NODROP could not be seen, so onsets of drops are not probed.",
        advice="Wrap the socket right after it is made, on a system that lets a process read its own memory.",
    )
