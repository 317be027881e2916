"""High water marks that do not do what they seem to."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp

DEFAULT_MARK = 1000

ONLY_SEND = ("PUSH", "PUB")
ONLY_RECEIVE = ("PULL", "SUB")
BOTH_WAYS = ("DEALER", "ROUTER", "PAIR")

ATTACHED = (Kind.BOUND, Kind.CONNECTED)


def marks_that_count(type_name: str) -> tuple[str, ...]:
    """The marks that bound the messages of this type of socket."""
    if type_name in ONLY_SEND or type_name == "XPUB":
        return ("sndhwm",)
    if type_name in ONLY_RECEIVE or type_name == "XSUB":
        return ("rcvhwm",)
    return ("sndhwm", "rcvhwm") if type_name in BOTH_WAYS else ()


def mark_of_the_other_way(setup: SetUp, moment: Moment) -> Finding | None:
    """The mark of the way that no message takes was set, and the one that counts was left as it is."""
    if moment.kind not in ATTACHED or setup.type_name not in ONLY_SEND + ONLY_RECEIVE:
        return None
    sends = setup.type_name in ONLY_SEND
    set_one, counting = ("rcvhwm", "sndhwm") if sends else ("sndhwm", "rcvhwm")
    if setup.option(set_one) == DEFAULT_MARK or setup.option(counting) != DEFAULT_MARK:
        return None
    if setup.type_name == "SUB" and setup.option("sndhwm") > DEFAULT_MARK:
        return None  # room for many subscriptions
    does = "sends" if sends else "receives"
    return Finding(
        rule="mark_of_the_other_way",
        text=(
            f"{set_one.upper()} is {setup.option(set_one)}, but a {setup.type_name} only {does} messages, and "
            f"{counting.upper()}, which bounds those, is at its default of {DEFAULT_MARK}."
        ),
        advice=f"Set {counting.upper()} instead.",
    )


def unlimited_mark(setup: SetUp, moment: Moment) -> Finding | None:
    """A mark of 0: the queue grows as long as there is memory."""
    if moment.kind not in ATTACHED:
        return None
    unlimited = [name.upper() for name in marks_that_count(setup.type_name) if setup.option(name) == 0]
    if not unlimited:
        return None
    return Finding(
        rule="unlimited_mark",
        text=f"{' and '.join(unlimited)} is 0, which is no limit: messages that are not read in time fill this process's memory.",
        advice="Set a mark that this process can hold: messages a second times the longest pause to bridge, times their size.",
    )


def mark_set_after_bind(setup: SetUp, moment: Moment) -> Finding | None:
    """A bound endpoint gives each connection that it accepts the marks of the time of its bind; only connections that the socket has
    taken in when a mark is set get the new one, and so do those of connect, at any time.
    """
    if moment.kind is not Kind.OPTION or moment.detail not in marks_that_count(setup.type_name):
        return None
    endpoints = [endpoint for endpoint in setup.bound if endpoint.startswith(("tcp://", "ipc://"))]
    if not endpoints:
        return None
    name = moment.detail.upper()
    return Finding(
        rule="mark_set_after_bind",
        text=f"{name} was set after the socket was bound to {endpoints[0]}: connections accepted there from now on get the mark of the time of the bind.",
        advice=f"Set {name} before bind. (Connections made by connect take a new mark at any time.)",
    )


def subscriptions_beyond_mark(setup: SetUp, moment: Moment) -> Finding | None:
    """A SUB sends its subscriptions through a pipe that SNDHWM bounds, and drops what does not fit."""
    mark = setup.option("sndhwm")
    if (
        moment.kind is not Kind.SUBSCRIBED
        or setup.type_name not in {"SUB", "XSUB"}
        or not 0 < mark < moment.value
    ):
        return None
    return Finding(
        rule="subscriptions_beyond_mark",
        text=(
            f"This {setup.type_name} has more subscriptions than its SNDHWM ({mark}): all are sent at once whenever a connection "
            "comes up, and those beyond the mark are dropped, so that their topics never arrive."
        ),
        advice="Set SNDHWM above the number of subscriptions, before connecting, or subscribe to fewer, shorter prefixes.",
    )
