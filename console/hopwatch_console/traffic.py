"""What goes through a socket each way: messages, or frames where a proxy reads and sends for it, which are all that is counted of a proxy's ends."""

from dataclasses import dataclass

from hopwatch_console.records import Socket


@dataclass(frozen=True)
class Flow:
    """One way: so many a second now, and in all."""

    rate: float
    total: int
    unit: str


def outward(socket: Socket) -> Flow:
    """What it sends."""
    if socket.proxy:
        return Flow(socket.rates.proxied_out_frames, socket.counters.proxied_out_frames, "frames")
    return Flow(socket.rates.sent, socket.counters.sent, "messages")


def inward(socket: Socket) -> Flow:
    """What it receives."""
    if socket.proxy:
        return Flow(socket.rates.proxied_in_frames, socket.counters.proxied_in_frames, "frames")
    return Flow(socket.rates.received, socket.counters.received, "messages")


def traffic_of(socket: Socket) -> float:
    """Both ways together, per second."""
    return outward(socket).rate + inward(socket).rate
