"""How a socket is doing, in one word, and why that is said."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hopwatch_agent.backlog.shown import Backlog
from hopwatch_agent.kernel.limits import NETWORK, RECEIVER
from hopwatch_agent.kernel.records import TcpState
from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.recent_losses import LOSING_SECONDS, Losses

LONG_SECONDS = 1.0
"""Messages that have waited for so long, for certain, are a sign of pressure."""
WAITING_SHARE = 0.05
"""A sender that spends so much of its time waiting for room is under pressure."""
_PENDING = COUNTERS.index("pending_sends")
_REFUSED = COUNTERS.index("eagain_sends")
_WAITED = COUNTERS.index("waited_ns")
_LIMITS = {RECEIVER: "an end that does not read", NETWORK: "the network"}

History = deque[tuple[float, tuple[int, ...]]]


class Condition(NamedTuple):
    """``state``: losing, pressed, quiet (neither) or closed. ``text``: why, in words; empty where there is nothing to say."""

    state: str
    text: str = ""


LOSING = "losing"
QUIET = Condition("quiet")
CLOSED = Condition("closed")


def ended(left_behind: int, died_with: int) -> Condition:
    """One that is in use no more."""
    told = []
    if left_behind:
        told.append(
            f"it ended without {_messages(left_behind)} that senders which had ended before it had sent"
        )
    if died_with:
        told.append(f"its process died with {_messages(died_with)} or more on their way to it")
    return Condition(CLOSED.state, "; ".join(told)) if told else CLOSED


def losing(losses: Losses) -> Condition:
    """One that has lost something just now."""
    told = []
    if losses.lost:
        told.append(f"{_messages(losses.lost)} lost")
    if losses.onsets:
        told.append(f"met a full pipe {_times(losses.onsets)}")
    if losses.unroutable:
        told.append(f"{_messages(losses.unroutable)} swallowed: it has no such peer")
    return Condition(LOSING, f"in the last {LOSING_SECONDS:.0f} s: {', '.join(told)}")


def pressed_by_sends(history: History) -> Condition | None:
    """One whose sends wait, or are refused."""
    (since, before), (now, counts) = history[0], history[-1]
    seconds = max(now - since, 1e-3)
    told = []
    lasting = min(counts[_PENDING], history[max(len(history) - 2, 0)][1][_PENDING])
    if lasting:
        told.append(f"{_sends(lasting)} waiting in the application, for room or for a peer")
    share = (counts[_WAITED] - before[_WAITED]) / 1e9 / seconds
    if share >= WAITING_SHARE:
        told.append(f"waited for room in {min(share, 1):.0%} of the last {seconds:.0f} s")
    refused = counts[_REFUSED] - before[_REFUSED]
    if refused > 0:
        told.append(f"{_sends(refused)} refused (EAGAIN) in the last {seconds:.0f} s")
    return Condition("pressed", ", ".join(told)) if told else None


def pressed_by_absence(messages: int) -> Condition:
    """One that has not received what senders had sent that have ended."""
    are = "is lost, or waits" if messages == 1 else "are lost, or wait"
    return Condition(
        "pressed", f"{_messages(messages)} of senders that have ended {are} to be read: it has not got them"
    )


def pressed_by_backlog(backlog: Backlog, what: str) -> Condition | None:
    """One of whose messages some have waited for long. ``what``: which ones these are."""
    if backlog.oldest_at_least < LONG_SECONDS:
        return None
    least = f"{backlog.at_least:,} or more " if backlog.at_least else ""
    return Condition("pressed", f"{least}{what}, the oldest for {backlog.oldest_at_least:.1f} s or more")


def pressed_by_connections(tcp: Mapping[tuple[str, str], TcpState]) -> Iterator[tuple[str, Condition]]:
    """Sockets with a connection on which the kernel says what messages wait for."""
    for (socket, _), state in tcp.items():
        if state.limit.by in _LIMITS:
            evidence = "; ".join(state.limit.evidence)
            text = f"messages wait for {_LIMITS[state.limit.by]} on a connection (the kernel: {evidence})"
            yield socket, Condition("pressed", text)


def _messages(count: int) -> str:
    return f"{count:,} message" if count == 1 else f"{count:,} messages"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _sends(count: int) -> str:
    return f"{count:,} send" if count == 1 else f"{count:,} sends"
