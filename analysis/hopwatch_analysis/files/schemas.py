"""Spark schemas of the landed Parquet files: one table a kind.

The analysis reads files, not the agent's code, and so says itself what it expects of them.
"""

from pyspark.sql.types import (
    BooleanType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

SCHEMA_VERSION = 1

TEXT, WHOLE, FLAG, TIME = StringType(), LongType(), BooleanType(), TimestampType()

COMMON: dict[str, DataType] = {
    "schema_version": IntegerType(),
    "host": TEXT,
    "process": TEXT,
    "n": WHOLE,
    "at": TIME,
}

COUNTERS = (
    "sent",
    "sent_more_frames",
    "sent_bytes",
    "received",
    "received_more_frames",
    "received_bytes",
    "eagain_sends",
    "eagain_receives",
    "waited_sends",
    "waited_ns",
    "onsets",
    "unroutable",
    "gaps",
    "lost",
    "duplicated",
    "reordered",
    "waited_receives",
    "proxied_in_frames",
    "proxied_in_bytes",
    "proxied_out_frames",
    "proxied_out_bytes",
    "pending_sends",
    "proxied_at",
)

TCP = (
    "rtt_us",
    "rttvar_us",
    "min_rtt_us",
    "segment_size",
    "cwnd",
    "congestion",
    "lost",
    "unacknowledged",
    "unsent",
    "receive_queue",
    "send_queue",
    "send_window",
    "delivery_rate",
    "retransmissions",
    "segments_sent",
    "bytes_acknowledged",
    "bytes_received",
    "busy_us",
    "receiver_limited_us",
    "send_buffer_limited_us",
)
USAGE = ("resident", "user_us", "system_us", "threads", "descriptors")
MEMORY = ("current", "peak", "limit", "high", "ooms", "oom_kills", "stalled_us")

KINDS: dict[str, dict[str, DataType]] = {
    "process": {
        "state": TEXT,
        "pid": WHOLE,
        "command": TEXT,
        "hopwatch": TEXT,
        "pyzmq": TEXT,
        "libzmq": TEXT,
        "events_lost": WHOLE,
    },
    "place": dict.fromkeys(("namespace", "pod", "container", "node", "owner"), TEXT),
    "socket": {
        "socket": TEXT,
        "state": TEXT,
        "name": TEXT,
        "type": TEXT,
        "sequence": TEXT,
        "probed": FLAG,
        "proxy": TEXT,
        "options": MapType(TEXT, WHOLE),
        "unread": FLAG,
    },
    "option": {"socket": TEXT, "option": TEXT, "value": TEXT},
    "endpoint": {"socket": TEXT, "action": TEXT, "endpoint": TEXT},
    "subscription": {"socket": TEXT, "action": TEXT, "topic": TEXT},
    "connection": {
        "socket": TEXT,
        "action": TEXT,
        "connection": WHOLE,
        "endpoint": TEXT,
        "local": TEXT,
        "remote": TEXT,
        "accepted": FLAG,
        "sent": WHOLE,
        "received": WHOLE,
        "reason": TEXT,
    },
    "lane": {
        "socket": TEXT,
        "stream": TEXT,
        "lane": WHOLE,
        "role": TEXT,
        "state": TEXT,
        "topic": TEXT,
        "sequence": TEXT,
        "count": WHOLE,
        "frames": WHOLE,
        "since": WHOLE,
        "first": WHOLE,
        "next": WHOLE,
        "newest_sent_at": TIME,
    },
    "gap": {
        "socket": TEXT,
        "stream": TEXT,
        "lane": WHOLE,
        "action": TEXT,
        "first": WHOLE,
        "last": WHOLE,
        "lost": WHOLE,
        "before": WHOLE,
        "after": WHOLE,
        "before_sent_at": TIME,
        "after_sent_at": TIME,
        "received": WHOLE,
    },
    "onset": {"socket": TEXT, "number": WHOLE, "lane": WHOLE, "lane_number": WHOLE},
    "unroutable": {
        "socket": TEXT,
        "number": WHOLE,
        "lane": WHOLE,
        "lane_number": WHOLE,
        "messages": WHOLE,
        "reason": TEXT,
        "peer": TEXT,
    },
    "counters": {"socket": TEXT, "final": FLAG, **dict.fromkeys(COUNTERS, WHOLE)},
    "proxy": {
        "state": TEXT,
        "counted_at": TIME,
        "proxy": TEXT,
        "name": TEXT,
        "frontend": TEXT,
        "backend": TEXT,
        "frontend_type": TEXT,
        "backend_type": TEXT,
    },
    "finding": {"socket": TEXT, "rule": TEXT, "text": TEXT, "advice": TEXT},
    "tcp": {
        "socket": TEXT,
        "connection": WHOLE,
        "limited_by": TEXT,
        **{name: TEXT if name == "congestion" else WHOLE for name in TCP},
    },
    "usage": {**dict.fromkeys(USAGE, WHOLE), "cgroup": TEXT},
    "memory": {"cgroup": TEXT, **dict.fromkeys(MEMORY, WHOLE)},
    "oom": {"cgroup": TEXT, "kills": WHOLE, "oom_kills": WHOLE, "vanished": WHOLE, "limit": WHOLE},
    "fault": {"socket": TEXT, "text": TEXT},
}

VALUES: dict[str, dict[str, tuple[str, ...]]] = {
    "process": {"state": ("started", "exited", "gone", "events_lost")},
    "socket": {"state": ("opened", "probing_stopped", "closed")},
    "endpoint": {"action": ("bind", "connect", "endpoint", "unbind", "disconnect")},
    "subscription": {"action": ("subscribe", "unsubscribe")},
    "connection": {
        "action": (
            "connected",
            "handshake",
            "disconnected",
            "retried",
            "handshake_failed",
            "monitor_attached",
            "monitor_stopped",
            "monitor_application",
        )
    },
    "lane": {"role": ("send", "receive", "count"), "state": ("announced", "sample", "final")},
    "gap": {"action": ("gap", "skipped", "late")},
    "proxy": {"state": ("started", "ended")},
    "tcp": {"limited_by": ("network", "receiver", "neither", "unknown")},
    "unroutable": {"reason": ("unknown_peer", "routing_id_alone")},
}
"""All that agents of this version write into columns that say what a row tells."""


def schema_of(kind: str) -> StructType:
    """Columns of the landed files of one kind, the common ones first."""
    return StructType([StructField(name, type_) for name, type_ in {**COMMON, **KINDS[kind]}.items()])
