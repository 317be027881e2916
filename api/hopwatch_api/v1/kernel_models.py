"""The JSON of what the kernel tells."""

from datetime import datetime

from pydantic import Field

from hopwatch_api.model import Model


class UsageModel(Model):
    """What a process takes of its host."""

    resident: int = Field(description="bytes of memory")
    user_us: int = Field(description="microseconds of CPU in the program")
    system_us: int = Field(description="microseconds of CPU in the kernel")
    threads: int
    descriptors: int | None = Field(description="open ones; null where they may not be counted")


class MemoryModel(Model):
    """The memory of a process's cgroup, which is its container's; null: the host does not tell."""

    cgroup: str
    current: int = Field(description="bytes")
    peak: int | None = Field(description="bytes")
    limit: int | None = Field(description="bytes; null if there is none")
    high: int | None = Field(
        description="bytes from which on it is slowed down; null if there is no such mark"
    )
    ooms: int | None = Field(description="how often the limit could not be kept")
    oom_kills: int | None = Field(description="processes killed for it")
    stalled_us: int | None = Field(description="microseconds in which at least one process waited for memory")


class TcpModel(Model):
    """What the kernel knew of one end of a connection at ``at``: a second ago, or longer where there are more than a thousand connections. null: this kernel does not tell."""

    at: datetime
    limited_by: str = Field(
        description="what the messages wait for: receiver (one end does not read), network, neither (nothing waits) or unknown"
    )
    limited_here: bool = Field(description="the receiver that does not read is this end")
    evidence: list[str] = Field(description="what that was read off")
    rtt_us: int | None
    rttvar_us: int | None
    min_rtt_us: int | None
    segment_size: int | None = Field(description="bytes")
    cwnd: int | None = Field(description="segments that may be under way")
    congestion: str | None = Field(description="open, disorder, cwr, recovery or loss")
    lost: int | None = Field(description="segments held to be lost now")
    unacknowledged: int | None = Field(description="segments sent and not acknowledged")
    unsent: int | None = Field(description="bytes that wait to be sent for the first time")
    receive_queue: int = Field(description="bytes that have arrived and were not read")
    send_queue: int = Field(description="bytes sent or not, and not acknowledged")
    send_window: int | None = Field(description="bytes that the other end was ready to take")
    delivery_rate: int | None = Field(description="bytes a second")
    retransmissions: int | None = Field(description="this and all that follow: since the connection came up")
    segments_sent: int | None
    bytes_acknowledged: int | None
    bytes_received: int | None
    busy_us: int | None = Field(description="with something to send or to be acknowledged")
    receiver_limited_us: int | None = Field(description="of that, with the other end's window full")
    send_buffer_limited_us: int | None = Field(description="of that, with the send buffer full")
