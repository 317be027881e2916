"""Findings: something wrong or risky in a live socket's set-up."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, and what to do about it. ``rule`` is a short fixed name.

    ``count``: how often it was found so far, where that is counted.
    """

    rule: str
    text: str
    advice: str
    count: int = 0


def proxy_not_counted(libzmq: tuple[int, ...]) -> Finding:
    """A proxy whose libzmq does not tell the frames that pass it."""
    version = ".".join(map(str, libzmq))
    return Finding(
        rule="proxy_not_counted",
        text=f"What passes the proxy of this socket is not counted: hopwatch asks for that from libzmq 4.3.5 on, and this process has {version}.",
        advice="Use the wheels of pyzmq 26 or newer, which bring a libzmq of their own.",
    )


def handed_over() -> Finding:
    """A socket that pyzmq passes messages by for the application, in C."""
    return Finding(
        rule="handed_over",
        text=(
            "This socket was handed to a function of pyzmq that receives and sends by it past hopwatch, such as proxy_steerable, monitored_queue, "
            "or a device of one socket with itself. What passes it there is not counted."
        ),
        advice="Where two sockets pass messages on and nobody steers them, hand them to zmq.proxy, whose messages are counted.",
    )


def stamp_refused(reason: str) -> Finding:
    """Stamps were asked for where they would break the socket."""
    return Finding(
        rule="stamp_refused",
        text=f"This socket's messages are not stamped: {reason}.",
        advice="Its losses can be counted only by comparing totals; use another socket type to have them numbered.",
    )


def address_taken() -> Finding:
    """Somebody may receive past the wrapped socket, where stamps come."""
    return Finding(
        rule="address_taken",
        text=(
            "The address of this socket, which takes stamps off, was asked for. Code that receives by that "
            "address, past pyzmq's sockets, gets the stamps with the messages, and what it receives is missing here."
        ),
        advice=(
            "Receive by zmq.Socket.shadow(address), which takes stamps off as this object does. "
            "Or send to this socket without stamps."
        ),
    )


def zap_refused() -> Finding:
    """The socket of an authenticator."""
    return stamp_refused("it answers libzmq's questions of authentication, whose answers have fixed parts")


def partial_lane(topic_known: bool) -> Finding:
    """A filtering receiver gets only some messages of a lane, so that it cannot check its numbers."""
    what = (
        "a lane of one topic"
        if topic_known
        else "the lane shared by messages that have no topic, or one past those that have lanes"
    )
    return Finding(
        rule="partial_lane",
        text=f"The subscriptions that hopwatch has seen this receiver make let through only a part of {what}: its gaps cannot be told from filtering, so its losses are not counted.",
        advice=(
            """Say at the sender what of a message is its topic (wrap(topic=b" "), or under hopwatch run --topic ' ': what is before the first space; """
            "a number: so many bytes), or send it as a frame of its own, or subscribe to everything. Wrap the socket before it subscribes."
        ),
    )


def impossible_stamps(count: int) -> Finding:
    """Frames that look like stamps, and that no sender can have sent."""
    return Finding(
        rule="impossible_stamps",
        text=(
            f"Stamps that no sender can have sent have come to this socket, {count} so far: their fields are out "
            "of bounds, or their numbers are further ahead than there was time to send. They were set aside. "
            "Their messages were received as any others."
        ),
        advice=(
            "See who can connect to this socket: whoever can, can send such frames. Let in only peers that you "
            "know, by CURVE, by ipc, or on a network of their own."
        ),
        count=count,
    )


def lanes_not_followed(most: int) -> Finding:
    """More lanes than are followed reach a receiver at a time."""
    return Finding(
        rule="lanes_not_followed",
        text=f"More than {most} lanes (senders, or their topics) reach this receiver at a time: those past that are not followed, and their losses not seen.",
        advice="Share the senders out among several receivers, or let them use fewer topics (topic= at the sender).",
    )


def not_watched(reason: str) -> Finding:
    """No monitor was attached, and none of the application's is in its place."""
    return Finding(
        rule="connections_not_watched",
        text=f"Connections of this socket are not journaled: {reason}.",
        advice="Raise the limit of open files, or the context's MAX_SOCKETS before its first socket is made; or wrap fewer sockets.",
    )


def monitor_unknown() -> Finding:
    """No monitor was attached, because one of the application's could not be ruled out."""
    return Finding(
        rule="connections_not_watched",
        text="Whether the application has attached a monitor could not be seen, so connections of this socket are not journaled.",
        advice="Let hopwatch.install() wrap the socket as it is made, or wrap it on a system that lets a process read its own memory.",
    )


def mandatory_unknown() -> Finding:
    """Unroutable messages are not counted, because the socket's own ROUTER_MANDATORY could not be read."""
    return Finding(
        rule="unroutable_not_probed",
        text="Whether the application has set ROUTER_MANDATORY could not be seen, so messages that have no peer are not counted.",
        advice="Wrap the socket on a system that lets a process read its own memory, or set ROUTER_MANDATORY and handle EHOSTUNREACH.",
    )


def nodrop_unknown() -> Finding:
    """Onsets are not probed, because the socket's own XPUB_NODROP could not be read."""
    return Finding(
        rule="onsets_not_probed",
        text="Whether the application has set XPUB_NODROP could not be seen, so onsets of drops are not probed.",
        advice="Wrap the socket right after it is made, on a system that lets a process read its own memory.",
    )


def sparse_mixed() -> Finding:
    """Two streams with sparse stamps use one topic, and come by one connection or over inproc."""
    return Finding(
        rule="sparse_stamps_mixed",
        text=(
            "Several senders with sparse stamps reach this receiver by one way with the same topic: "
            "what a lane is said to have lost is a lower bound."
        ),
        advice="Give the senders topics of their own, or stamp every message (stamp_every=1).",
    )


def sparse_surplus() -> Finding:
    """More messages came between two stamps than were numbered."""
    return Finding(
        rule="sparse_stamps_surplus",
        text=(
            "More messages of a sparsely stamped lane arrived than its sender had numbered: some came twice, late, or from "
            "a sender that does not stamp. What the lane is said to have lost is a lower bound."
        ),
        advice="Wrap every sender of the topic in the same way, or stamp every message (stamp_every=1).",
    )


def sparse_refused() -> Finding:
    """The topic rule cannot be told to a receiver in a stamp."""
    return Finding(
        rule="every_message_stamped",
        text="stamp_every has no effect: which topic a message without a stamp has, only the sender's topic= rule can tell.",
        advice="Send the topic as a frame of its own, or pass a length as topic=.",
    )


def sequence_failed(name: str, reason: str) -> Finding:
    """The callable that reads numbers off messages raised, or gave something else."""
    return Finding(
        rule="sequence_failed",
        text=f"The sequence {name} failed on a message and is not asked any more: {reason[:500]}.",
        advice="It is to give (lane, number), with a number from 0 to its modulus, or None for a message that carries none.",
    )


def too_many_lanes(most: int) -> Finding:
    """A sequence with more lanes than are followed."""
    return Finding(
        rule="too_many_lanes",
        text=f"The messages of this socket name more than {most} lanes: those past that are not followed.",
        advice="Let the sequence name fewer lanes, such as the topic's first part.",
    )


def topics_gathered(most: int) -> Finding:
    """Messages without a stamp have more topics, or longer ones, than are counted one by one."""
    return Finding(
        rule="topics_gathered",
        text=f"Messages that carry no number have more than {most} topics, or some of more than 255 bytes: those are counted together.",
        advice="Pass a length as topic= to count by the first bytes of the topic.",
    )


def peers_gathered(most: int) -> Finding:
    """A ROUTER has sent to more routing ids than have lanes of their own."""
    return Finding(
        rule="peers_gathered",
        text=(
            f"This ROUTER has sent to more than {most} routing ids: what it sends to further ones is counted together "
            "and carries no stamps, so that losses among it are not seen."
        ),
        advice="Set a routing id at each client: one that connects again then goes on with the number that it had.",
    )


def two_threads() -> Finding:
    """Calls came in turns from threads that were all alive."""
    return Finding(
        rule="two_threads",
        text=(
            "Calls on this socket came from one thread, then from another, then from the first again, while both were alive. "
            "Without a lock, frames of their messages mix, and libzmq may crash; hopwatch cannot see locks."
        ),
        advice=(
            "Give each thread a socket of its own (inproc between them), and close a socket where it is used. Or hold one lock around "
            "each whole message and every other call on the socket; if that is so already, nothing needs to be done."
        ),
    )


def used_after_fork() -> Finding:
    """A forked child used its parent's socket."""
    return Finding(
        rule="used_after_fork",
        text=(
            "A forked child used this socket of its parent's. There, what is sent goes nowhere without an error, and receiving, polling or "
            "connecting never returns, at full CPU: libzmq's threads stay behind in the parent."
        ),
        advice="Make a new zmq.Context and new sockets in the child, or start it by spawn in place of fork.",
    )
