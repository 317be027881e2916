"""Sockets, and what is told of them."""

from typing import Any

from hopwatch_api.v1.examples.kernel import MEMORY, TCP, USAGE

QUOTES = "cd5fee3a17bece4d"
SLOW = "8141b652453ca54d"
PROCESS = "4bbd0dcc75b8b013"

_NO_COUNTS = {
    "received": 0,
    "received_bytes": 0,
    "eagain_sends": 0,
    "eagain_receives": 0,
    "waited_sends": 0,
    "waited_seconds": 0.0,
}
_NO_GAPS = {
    "unroutable": 0,
    "gaps": 0,
    "lost": 0,
    "duplicated": 0,
    "reordered": 0,
    "proxied_in_frames": 0,
    "proxied_out_frames": 0,
}
OWNER: dict[str, Any] = {
    "pid": 19246,
    "command": "python quotes.py",
    "gone_at": None,
    "counts_in": "shared memory",
    "usage": USAGE,
    "memory": MEMORY,
    "place": {
        "namespace": "trading",
        "pod": "feed-0",
        "container": "quotes",
        "node": "node-7",
        "owner": "StatefulSet/feed",
    },
}
BACKLOG: dict[str, Any] = {
    "at_most": 6625,
    "at_least": 0,
    "oldest_at_least": 0.0,
    "oldest_at_most": 0.092655994,
}
FINDING: dict[str, Any] = {
    "rule": "dontwait_never_raises",
    "text": "This PUB was sent on with DONTWAIT, which changes nothing: without XPUB_NODROP a PUB never waits and never raises EAGAIN. What meets a"
    " subscriber's full pipe it drops for that one, without a word.",
    "advice": 'Do not rely on zmq.Again to tell of drops: number the messages (sequence="stamp" at both ends), and each one that a subscriber'
    " lacks is told. To be refused instead, set XPUB_NODROP: a send with DONTWAIT then raises EAGAIN as long as the pipe of any subscriber to the"
    " message is full.",
}
SOCKET: dict[str, Any] = {
    "id": QUOTES,
    "name": "quotes",
    "type": "PUB",
    "host": "trading/feed-0",
    "state": "losing",
    "state_text": "in the last 10 s: met a full pipe 167 times",
    "proxy": None,
    "process": OWNER,
    "opened_at": "2026-11-27T09:42:58.779935Z",
    "closed_at": None,
    "endpoints": ["tcp://127.0.0.1:40331"],
    "options": {"sndhwm": 50, "rcvhwm": 1000, "linger": -1, "conflate": 0},
    "counters": {
        "sent": 26846,
        "sent_bytes": 5449741,
        **_NO_COUNTS,
        "onsets": 215,
        **_NO_GAPS,
        "pending_sends": 0,
    },
    "rates": {
        "sent": 9306.98452864801,
        "sent_bytes": 1889318.8993570267,
        **dict.fromkeys(_NO_COUNTS, 0.0),
        "onsets": 74.53630610367735,
        **dict.fromkeys(_NO_GAPS, 0.0),
    },
    "peers": [
        {
            "local": "127.0.0.1:40331",
            "remote": "127.0.0.1:56284",
            "state": "ready",
            "since": "2026-11-27T09:42:58.932708Z",
            "tcp": TCP,
        }
    ],
    "findings": [FINDING],
    "backlog_sent": BACKLOG,
    "backlog_received": None,
    "left_behind": None,
    "numbered": None,
    "unreceived": 0,
    "died_with": None,
}
FINDING_OF_SOCKET: dict[str, Any] = {
    **FINDING,
    "socket": QUOTES,
    "socket_name": "quotes",
    "type": "PUB",
    "host": "trading/feed-0",
    "process": OWNER,
    "closed_at": None,
}
CONNECTION: dict[str, Any] = {
    "socket": QUOTES,
    "socket_name": "quotes",
    "peer": SLOW,
    "peer_name": "slow",
    "host": "trading/feed-0",
    "connection": 1,
    "endpoint": "tcp://127.0.0.1:40331",
    "local": "127.0.0.1:40331",
    "remote": "127.0.0.1:56284",
    "accepted": True,
    "state": "ready",
    "since": "2026-11-27T09:42:58.932708Z",
    "reason": None,
    "ended": None,
    "waiting": {
        "at_least": 0,
        "at_most": 6625,
        "places": [
            {"place": "sender", "socket_name": "quotes", "mark": 50, "at_most": 50, "bytes": None},
            {"place": "kernel", "socket_name": None, "mark": None, "at_most": 6525, "bytes": 1324575},
            {"place": "receiver", "socket_name": "slow", "mark": 50, "at_most": 50, "bytes": None},
        ],
    },
    "tcp": TCP,
}
LANE: dict[str, Any] = {
    "socket": SLOW,
    "socket_name": "slow",
    "stream": QUOTES,
    "sender_name": "quotes",
    "lane": 0,
    "role": "receive",
    "topic": "657572",
    "count": 7985,
    "first": 0,
    "next": 31591,
    "lost": 23606,
    "newest_sent_at": "2026-11-27T09:43:02.820950Z",
    "final": False,
    "backlog": BACKLOG,
}
