"""Schemas of the landed Parquet files: one table a kind.

Every kind has the columns of ``COMMON``. ``n`` is the number of the journal event within its process, or
null for what the agent itself observed (samples of counters and lanes, the end of a process). ``at`` is
the wall clock of the host. Ids are 16 hex digits, topics are hex. Partition columns (kind, date, host)
are in the path; ``host`` is a column as well, because paths are escaped.
"""

import pyarrow as pa

from hopwatch_agent.kernel.records import Memory, Tcp, Usage

SCHEMA_VERSION = 1

TIMESTAMP = pa.timestamp("us", tz="UTC")

COMMON: dict[str, pa.DataType] = {
    "schema_version": pa.int32(),
    "host": pa.string(),
    "process": pa.string(),
    "n": pa.int64(),
    "at": TIMESTAMP,
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

KINDS: dict[str, dict[str, pa.DataType]] = {
    # state: "started", "exited" (it said so itself), "gone" (its lock is free), or "events_lost" (more than before);
    # events_lost: how many in all, by then
    "process": {
        "state": pa.string(),
        "pid": pa.int64(),
        "command": pa.string(),
        "hopwatch": pa.string(),
        "pyzmq": pa.string(),
        "libzmq": pa.string(),
        "events_lost": pa.int64(),
    },
    # where a process runs in Kubernetes, as far as it is told; owner: kind and name of the workload
    "place": dict.fromkeys(("namespace", "pod", "container", "node", "owner"), pa.string()),
    # state: "opened", "probing_stopped" (full pipes are not seen any more; no other column is given) or "closed"; the other columns are
    # those of the opening. A closing without n was found by the agent, which had missed it
    "socket": {
        "socket": pa.string(),
        "state": pa.string(),
        "name": pa.string(),
        "type": pa.string(),
        "sequence": pa.string(),
        "probed": pa.bool_(),
        "proxy": pa.string(),
        "options": pa.map_(pa.string(), pa.int64()),
        "unread": pa.bool_(),
    },
    "option": {"socket": pa.string(), "option": pa.string(), "value": pa.string()},
    # action: "bind", "connect", "unbind" or "disconnect"
    "endpoint": {"socket": pa.string(), "action": pa.string(), "endpoint": pa.string()},
    # action: "subscribe" or "unsubscribe"
    "subscription": {"socket": pa.string(), "action": pa.string(), "topic": pa.string()},
    # action: "connected", "handshake", "disconnected", "retried", "handshake_failed",
    # or the state of the monitor: "monitor_attached", "monitor_stopped", "monitor_application"
    "connection": {
        "socket": pa.string(),
        "action": pa.string(),
        "connection": pa.int64(),
        "endpoint": pa.string(),
        "local": pa.string(),
        "remote": pa.string(),
        "accepted": pa.bool_(),
        "sent": pa.int64(),
        "received": pa.int64(),
        "reason": pa.string(),
    },
    # role: "send", "receive", or "count" (messages of a topic that belong to no known lane; stream is 0);
    # state: "announced" (only then topic is given, and sequence for messages that carry numbers of their own), "sample" or
    # "final"; frames: of a sender's messages; since: what a receiver got after the last stamp, where stamps are sparse
    "lane": {
        "socket": pa.string(),
        "stream": pa.string(),
        "lane": pa.int64(),
        "role": pa.string(),
        "state": pa.string(),
        "topic": pa.string(),
        "sequence": pa.string(),
        "count": pa.int64(),
        "frames": pa.int64(),
        "since": pa.int64(),
        "first": pa.int64(),
        "next": pa.int64(),
        "newest_sent_at": TIMESTAMP,
    },
    # action: "gap" (of its numbers so many are lost: all, unless stamps are sparse);
    # "skipped" (first and last alone); "late" (first = last = the number)
    "gap": {
        "socket": pa.string(),
        "stream": pa.string(),
        "lane": pa.int64(),
        "action": pa.string(),
        "first": pa.int64(),
        "last": pa.int64(),
        "lost": pa.int64(),
        "before": pa.int64(),
        "after": pa.int64(),
        "before_sent_at": TIMESTAMP,
        "after_sent_at": TIMESTAMP,
        "received": pa.int64(),
    },
    "onset": {
        "socket": pa.string(),
        "number": pa.int64(),
        "lane": pa.int64(),
        "lane_number": pa.int64(),
    },
    # messages that a ROUTER swallowed: this one and the next ones to the same peer, "messages" in all;
    # reason: "unknown_peer" or "routing_id_alone"; peer: its routing id, hex
    "unroutable": {
        "socket": pa.string(),
        "number": pa.int64(),
        "lane": pa.int64(),
        "lane_number": pa.int64(),
        "messages": pa.int64(),
        "reason": pa.string(),
        "peer": pa.string(),
    },
    # final: the last word on this socket (from its "closed" event, or read after its process was gone)
    "counters": {"socket": pa.string(), "final": pa.bool_(), **{name: pa.int64() for name in COUNTERS}},
    # state: "started", or "ended" by itself (one that was killed has no such row); counted_at: as of when its last counts hold
    "proxy": {
        "state": pa.string(),
        "counted_at": TIMESTAMP,
        "proxy": pa.string(),
        "name": pa.string(),
        "frontend": pa.string(),
        "backend": pa.string(),
        "frontend_type": pa.string(),
        "backend_type": pa.string(),
    },
    "finding": {"socket": pa.string(), "rule": pa.string(), "text": pa.string(), "advice": pa.string()},
    # what the kernel knows of one end of a connection: at most every five seconds, and when something else limits it;
    # limited_by: "receiver", "network", "neither" or "unknown", in the second before; what has no unit is a number of segments or bytes,
    # see kernel/records.py
    "tcp": {
        "socket": pa.string(),
        "connection": pa.int64(),
        "limited_by": pa.string(),
        **{name: pa.string() if name == "congestion" else pa.int64() for name in Tcp.__struct_fields__},
    },
    # what a process takes of its host
    "usage": {
        **{name: pa.int64() for name in Usage.__struct_fields__},
        "cgroup": pa.string(),
    },
    # the memory of a cgroup; process is null
    "memory": {name: pa.string() if name == "cgroup" else pa.int64() for name in Memory.__struct_fields__},
    # so many processes of a cgroup were killed for memory (kills), of oom_kills ever; process: one that went without a word then,
    # of so many that did (vanished); null where none did
    "oom": {
        "cgroup": pa.string(),
        "kills": pa.int64(),
        "oom_kills": pa.int64(),
        "vanished": pa.int64(),
        "limit": pa.int64(),
    },
    # a fault of the instrumentation (socket known); unreadable input that the agent met, or rows that it gave up (socket null)
    "fault": {"socket": pa.string(), "text": pa.string()},
}

SAMPLES = frozenset({"counters", "lane", "tcp", "usage", "memory"})
"""Kinds whose rows are readings of numbers, which are shown as they stand and not as events."""


def schema_of(kind: str) -> pa.Schema:
    """Columns of the landed files of one kind, the common ones first."""
    return pa.schema(list({**COMMON, **KINDS[kind]}.items()))
