"""The agent itself."""

from typing import Any

from hopwatch_api.v1.examples.kernel import MEMORY, USAGE

STATUS: dict[str, Any] = {
    "version": "0.1.0",
    "host": "trading/feed-0",
    "started_at": "2026-11-27T09:42:57.836934Z",
    "directory": "/run/hopwatch",
    "landing": "s3://events/hopwatch",
    "ready": True,
    "processes": 1,
    "sockets": 3,
    "lag_seconds": 0.32967958399967756,
    "rows_waiting": 0,
    "rows_landed": 456,
    "last_landing": "2026-11-27T09:43:02.474559Z",
    "events_lost": 0,
    "faults": 1,
    "recent_faults": [
        {
            "at": "2026-11-27T09:43:00.120031Z",
            "host": "trading/feed-0",
            "process": "4bbd0dcc75b8b013",
            "socket": None,
            "text": "/run/hopwatch/4bbd0dcc75b8b013.0000.events, byte 4711: half a line, 12 bytes without an end",
        }
    ],
    "errors": [
        {
            "source": "landing",
            "text": "cannot land 5f1c3a9be27d4480-000000000012-000000000012 at s3://events/hopwatch: it does not answer",
            "since": "2026-11-27T09:42:58.001200Z",
        }
    ],
    "warnings": [],
    "lag": {
        "tick_seconds": 0.013367075996939093,
        "tick_age_seconds": 0.32967958399967756,
        "unread_bytes": 781,
    },
    "database": {"rows": 0, "bytes": 49152, "wal_bytes": 733392},
    "costs": {
        "cpu_seconds": 1.525717135,
        "cpu_percent": 1.3,
        "rss_bytes": 175935488,
        "threads": 6,
        "descriptors": 18,
        "ticking_seconds": 0.9347688790003303,
        "landing_seconds": 3.017465978002292,
    },
    "versions": {"hopwatch": "0.1.0", "python": "3.11.7", "sqlite": "3.40.1", "pyarrow": "26.0.1"},
    "settings": {
        "dir": "/run/hopwatch",
        "land": "s3://events/hopwatch",
        "land_seconds": 5.0,
        "insecure": False,
    },
    "usage": USAGE,
    "memory": MEMORY,
    "rows_given_up": 0,
}
