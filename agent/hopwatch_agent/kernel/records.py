"""Readings of the kernel, as they are shown, landed and exported. None: this kernel, or this host, does not tell."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec import Struct


class Tcp(Struct, frozen=True):
    """One end of a TCP connection (``struct tcp_info``), what it sends unless it says otherwise. ``retransmissions`` and
    all behind it have been counted since the connection came up.
    """

    rtt_us: int | None = None
    rttvar_us: int | None = None
    min_rtt_us: int | None = None
    segment_size: int | None = None
    """Most bytes of data in a segment."""
    cwnd: int | None = None
    """Segments that the congestion control lets be under way."""
    congestion: str | None = None
    """open, disorder, cwr, recovery or loss."""
    lost: int | None = None
    """Segments held to be lost at this moment."""
    unacknowledged: int | None = None
    """Segments sent and not acknowledged at this moment."""
    unsent: int | None = None
    """Bytes that wait to be sent for the first time."""
    receive_queue: int = 0
    """Bytes that have arrived and that this end has not read."""
    send_queue: int = 0
    """Bytes that the other end has not acknowledged, sent or not."""
    send_window: int | None = None
    """Bytes that the other end was ready to take, when it last said so."""
    delivery_rate: int | None = None
    """Bytes a second, as last measured by the kernel."""
    retransmissions: int | None = None
    segments_sent: int | None = None
    """With data, retransmissions included."""
    bytes_acknowledged: int | None = None
    bytes_received: int | None = None
    busy_us: int | None = None
    """Time with data to send or to be acknowledged."""
    receiver_limited_us: int | None = None
    """Time of that in which the other end's window was full."""
    send_buffer_limited_us: int | None = None
    """Time of that in which this end's send buffer was full."""


class Limit(Struct, frozen=True):
    """What limits what one end of a connection sends: ``by`` is "receiver", "network", "neither" or "unknown". ``here``: that receiver is this end."""

    by: str
    evidence: tuple[str, ...] = ()
    here: bool = False


class TcpState(Struct, frozen=True):
    """A connection's newest reading, when it was made (nanoseconds since 1970), and what limited it since the one before."""

    at: int
    tcp: Tcp
    limit: Limit


class Usage(Struct, frozen=True):
    """What a process takes of its host. Bytes and microseconds; ``descriptors``: None where they may not be counted."""

    resident: int
    user_us: int
    system_us: int
    threads: int
    descriptors: int | None = None


class Memory(Struct, frozen=True):
    """The memory of a cgroup, in bytes. ``limit``: None if there is none; ``oom_kills``: processes killed for memory so far."""

    cgroup: str
    current: int
    peak: int | None = None
    limit: int | None = None
    high: int | None = None
    ooms: int | None = None
    oom_kills: int | None = None
    stalled_us: int | None = None
    """Time in which at least one process waited for memory."""


@dataclass(frozen=True)
class KernelShown:
    """The newest readings: ``tcp`` by socket and connection number, ``usage`` and ``memory`` by process."""

    tcp: Mapping[tuple[str, str], TcpState] = field(default_factory=dict)
    usage: Mapping[str, Usage] = field(default_factory=dict)
    memory: Mapping[str, Memory] = field(default_factory=dict)
    own_usage: Usage | None = None
    own_memory: Memory | None = None
