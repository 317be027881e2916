"""What limits a connection: the end that does not read, or the way there.

Both fill the sender's pipe, and the rtt and some retransmissions rise with both: a receiver that does not read delays what it
acknowledges, and has its window probed. So the order of the questions matters. Is there anything to send at all? Was the
receiver's window full while there was? If so, does the receiver need that long to read, or is the window no larger than
what is under way? Only if the window was open is it the way. With the buffers of a few kilobytes the two cannot be told apart
from the sending end in every second: it is "unknown" then, and never the wrong one in what was tried.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hopwatch_agent.kernel.records import Limit, Tcp

RECEIVER, NETWORK, NEITHER, UNKNOWN = "receiver", "network", "neither", "unknown"

SHORTEST_SECONDS = 0.2
BUSY = 0.25
ALWAYS_BUSY = 0.9
MOSTLY = 0.5
HARDLY = 0.2
LOSSY = 0.01
FEW_RETRANSMISSIONS = 3
LONG_RTT_US = 1_000
UNDER_WAY = 0.25
"""What is under way at once is so much of the window at least, where the window is what the way needs."""


def limit_of(before: Tcp, now: Tcp, seconds: float, peer: Tcp | None) -> Limit:
    """What limited what one end sent between two readings; ``peer``: the other end's newest reading, where this host has it."""
    if seconds < SHORTEST_SECONDS or now.busy_us is None or now.receiver_limited_us is None:
        return Limit(UNKNOWN, ("too little is known of it",))
    span = Span(before, now, seconds)
    if span.busy >= BUSY or (before.unsent and now.unsent):
        return _limit_of_sending(span, peer)
    if before.receive_queue and now.receive_queue:
        unread = (f"{now.receive_queue} bytes have arrived here and were not read",)
        return Limit(RECEIVER, unread, here=True)
    return Limit(NEITHER, (f"there was something to send in {span.busy:.0%} of the time",))


def confirmed(found: Limit, before: str | None) -> Limit:
    """What was found between two readings, once the span before (``before``: what was found in that) agrees that it is the way.

    While the buffers of a slow receiver fill, its kernel drops segments and acknowledges late, and its window is not full yet.
    """
    if found.by != NETWORK or before == NETWORK:
        return found
    return Limit(UNKNOWN, (*found.evidence, "a slow receiver looks like a slow way for a moment"))


@dataclass(frozen=True)
class Span:
    """The time between two readings of one end."""

    before: Tcp
    now: Tcp
    seconds: float

    def grown(self, name: str) -> int:
        """By how much a count of the connection grew."""
        return max(0, (getattr(self.now, name) or 0) - (getattr(self.before, name) or 0))

    @property
    def busy(self) -> float:
        """The part of the time in which there was something to send, or to be acknowledged."""
        return min(1.0, self.grown("busy_us") / 1e6 / self.seconds)

    @property
    def window_full(self) -> float:
        """The part of that time in which the receiver's window was full."""
        return self.grown("receiver_limited_us") / max(1, self.grown("busy_us"))

    @property
    def retransmitted(self) -> float:
        """The part of the segments that were retransmissions; 0 for a few, which a slow receiver causes too."""
        retransmissions = self.grown("retransmissions")
        few = retransmissions < FEW_RETRANSMISSIONS
        return 0.0 if few else retransmissions / max(1, self.grown("segments_sent"))

    @property
    def under_way(self) -> float:
        """How many bytes got through in the time that one takes to be acknowledged."""
        return self.grown("bytes_acknowledged") / self.seconds * (self.now.rtt_us or 0) / 1e6


def _limit_of_sending(span: Span, peer: Tcp | None) -> Limit:
    if span.window_full >= HARDLY and peer is not None and peer.receive_queue:
        return Limit(RECEIVER, (*_seen(span), f"{peer.receive_queue} bytes lie unread at the other end"))
    if span.window_full >= MOSTLY:
        return _limit_of_window(span, peer)
    open_window = span.window_full < HARDLY or peer is not None
    return Limit(NETWORK if open_window and _way_is_slow(span) else UNKNOWN, tuple(_seen(span)))


def _limit_of_window(span: Span, peer: Tcp | None) -> Limit:
    window, segment = span.now.send_window, span.now.segment_size
    if window is None or segment is None:
        return Limit(UNKNOWN, tuple(_seen(span)))
    if window < segment and not span.now.unacknowledged:
        return Limit(RECEIVER, (*_seen(span), f"the other end takes {window} bytes more"))
    # behind a segment that was lost, what came after it fills a small window too, though all that can be read is read
    lossy = span.retransmitted >= LOSSY
    if peer is None and not lossy and span.under_way < UNDER_WAY * window:
        told = f"the way needs {span.under_way:.0f} bytes of a window of {window}"
        return Limit(RECEIVER, (*_seen(span), told))
    if peer is not None and span.under_way >= UNDER_WAY * window:
        return Limit(NETWORK, (*_seen(span), "the other end has read all that arrived"))
    return Limit(UNKNOWN, tuple(_seen(span)))


def _way_is_slow(span: Span) -> bool:
    waits_now = bool(span.now.unsent or span.grown("send_buffer_limited_us"))
    long_way = (span.now.rtt_us or 0) >= LONG_RTT_US and waits_now
    waits = bool(span.before.unsent and span.now.unsent)
    return span.retransmitted >= LOSSY or (span.busy >= ALWAYS_BUSY and (long_way or waits))


def _seen(span: Span) -> Iterator[str]:
    now = span.now
    yield f"something to send in {span.busy:.0%} of the time"
    yield f"the other end's window full in {span.window_full:.0%} of that"
    yield f"{span.grown('retransmissions')} retransmissions of {span.grown('segments_sent')} segments"
    if now.rtt_us is not None:
        least = "" if now.min_rtt_us is None else f", at best {now.min_rtt_us / 1000:g} ms"
        yield f"rtt {now.rtt_us / 1000:g} ms{least}"
    yield f"{now.unsent} bytes unsent"
