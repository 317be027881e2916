"""What is lost when a socket closes, by its own set-up."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp

LOW_MARK = 100
KEEPING_TYPES = ("PUSH", "DEALER")
"""Types that wait for room instead of dropping: an application that uses them means each message to arrive."""


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
