"""What the kernel tells."""

from typing import Any

USAGE: dict[str, Any] = {
    "resident": 25690112,
    "user_us": 420000,
    "system_us": 130000,
    "threads": 4,
    "descriptors": 26,
}
MEMORY: dict[str, Any] = {
    "cgroup": "/feed.slice/quotes.service",
    "current": 41943040,
    "peak": 52428800,
    "limit": 268435456,
    "high": None,
    "ooms": 0,
    "oom_kills": 0,
    "stalled_us": 0,
}
TCP: dict[str, Any] = {
    "at": "2026-11-27T09:43:01.815742Z",
    "limited_by": "receiver",
    "limited_here": False,
    "evidence": [
        "something to send in 80% of the time",
        "the other end's window full in 63% of that",
        "4096 bytes lie unread at the other end",
    ],
    "rtt_us": 4770,
    "rttvar_us": 928,
    "min_rtt_us": 7,
    "segment_size": 2048,
    "cwnd": 12,
    "congestion": "open",
    "lost": 0,
    "unacknowledged": 2,
    "unsent": 2048,
    "receive_queue": 0,
    "send_queue": 6144,
    "send_window": 4096,
    "delivery_rate": 1051064,
    "retransmissions": 4,
    "segments_sent": 742,
    "bytes_acknowledged": 1352594,
    "bytes_received": 103,
    "busy_us": 1876000,
    "receiver_limited_us": 1280000,
    "send_buffer_limited_us": 0,
}
