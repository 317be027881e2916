"""High water marks that do not do what they seem to."""

from collections.abc import Mapping

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp

DEFAULT_MARK = 1000

LOW_MARK = 100

ONLY_SEND = ("PUSH", "PUB")
ONLY_RECEIVE = ("PULL", "SUB")
MARKS_THAT_COUNT: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*ONLY_SEND, "XPUB"), ("sndhwm",)),
    **dict.fromkeys((*ONLY_RECEIVE, "XSUB"), ("rcvhwm",)),
    **dict.fromkeys(("DEALER", "ROUTER", "PAIR"), ("sndhwm", "rcvhwm")),
}
"""The marks that bound the messages of each type of socket."""


def mark_of_the_other_way(setup: SetUp, moment: Moment) -> Finding | None:
    """The mark of the way that no message takes was set, and the one that counts was left as it is.

    Not looked at when a mark is set: the other one may be the next (``set_hwm`` sets both). By the first send both are.
    """
    if moment.kind in {Kind.OPTION, Kind.SUBSCRIBED} or not setup.endpoints:
        return None
    if setup.type_name not in ONLY_SEND + ONLY_RECEIVE:
        return None
    sends = setup.type_name in ONLY_SEND
    set_one, counting = ("rcvhwm", "sndhwm") if sends else ("sndhwm", "rcvhwm")
    if setup.option(set_one) == DEFAULT_MARK or setup.option(counting) != DEFAULT_MARK:
        return None
    if setup.is_inherited(set_one):
        return None  # meant for other sockets of the context
    if setup.type_name == "SUB" and not 0 < setup.option("sndhwm") <= DEFAULT_MARK:
        return None  # room for many subscriptions
    does = "sends" if sends else "receives"
    return Finding(
        rule="mark_of_the_other_way",
        text=(
            f"{set_one.upper()} is {setup.option(set_one)}, but a {setup.type_name} only {does} messages, and "
            f"{counting.upper()}, which bounds those, is at its default of {DEFAULT_MARK}."
        ),
        advice=f"Set {counting.upper()} to {setup.option(set_one)} instead, if that is the room that was meant.",
    )


def unlimited_mark(setup: SetUp, _moment: Moment) -> Finding | None:
    """A mark of 0: the queue grows as long as there is memory."""
    unlimited = [
        name.upper() for name in MARKS_THAT_COUNT.get(setup.type_name, ()) if setup.option(name) == 0
    ]
    if not unlimited:
        return None
    both = len(unlimited) > 1
    return Finding(
        rule="unlimited_mark",
        text=(
            f"{' and '.join(unlimited)} of this {setup.type_name} {'are' if both else 'is'} 0, which is no limit: "
            "messages that are not read in time fill this process's memory, one queue a peer."
        ),
        advice=(
            f"Set {' and '.join(unlimited)} to what this process can hold for each peer: messages a second times the longest pause "
            "to bridge in seconds. Times their size, that is the memory it may take."
        ),
    )


def mark_set_after_bind(setup: SetUp, moment: Moment) -> Finding | None:
    """A bound endpoint gives each connection that it accepts the marks of the time of its bind; only connections that the socket has
    taken in when a mark is set get the new one, and so do those of connect, at any time.
    """
    if moment.detail not in MARKS_THAT_COUNT.get(setup.type_name, ()):
        return None
    stale = [
        (endpoint, then[moment.detail])
        for endpoint, then in setup.bound
        if endpoint.startswith(("tcp://", "ipc://")) and then[moment.detail] != moment.value
    ]
    if not stale:
        return None
    name, (endpoint, mark) = moment.detail.upper(), stale[0]
    return Finding(
        rule="mark_set_after_bind",
        text=(
            f"{name} was set to {moment.value} after the socket was bound to {endpoint}, when it was {mark}: "
            f"connections accepted there from now on get {mark}."
        ),
        advice=f"Set {name} before bind, or unbind and bind again. (Connections made by connect take a new mark at any time.)",
    )


def subscriptions_beyond_mark(setup: SetUp, _moment: Moment) -> Finding | None:
    """A SUB sends its subscriptions through a pipe that SNDHWM bounds, and drops what does not fit."""
    mark = setup.option("sndhwm")
    if setup.type_name not in {"SUB", "XSUB"} or not 0 < mark < setup.subscriptions:
        return None
    return Finding(
        rule="subscriptions_beyond_mark",
        text=(
            f"This {setup.type_name} has {setup.subscriptions} subscriptions or more, and its SNDHWM is {mark}: all are sent at once "
            "whenever a connection comes up, and those beyond the mark are dropped, so that their topics never arrive."
        ),
        advice=(
            f"Set SNDHWM above the number of subscriptions ({setup.subscriptions} when this was found), before connecting, "
            "or subscribe to fewer, shorter prefixes."
        ),
    )


def low_mark_over_ipc(setup: SetUp, _moment: Moment) -> Finding | None:
    """Over ipc, a sender that closes takes with it what a full receiver has not read from the kernel. Over TCP it stays to be read, unless the receiver
    sends that sender something.
    """
    over_ipc = [endpoint for endpoint in setup.endpoints if endpoint.startswith("ipc://")]
    mark = setup.option("rcvhwm")
    if not over_ipc or setup.type_name not in {"PULL", "SUB", "DEALER", "PAIR"} or not 0 < mark < LOW_MARK:
        return None
    kept = (
        "which keeps it"
        if setup.type_name == "PULL"
        else "which keeps it unless this socket sends or subscribes meanwhile"
    )
    return Finding(
        rule="low_mark_over_ipc",
        text=(
            f"RCVHWM of this {setup.type_name} is {mark}, and it uses {over_ipc[0]}: over ipc, when a sender closes while more than that is unread, "
            "the rest is lost, though the sender waited for it to be delivered."
        ),
        advice=f"Raise RCVHWM above what can be unread, use tcp ({kept}), or let the sender close only when it has an answer.",
    )
