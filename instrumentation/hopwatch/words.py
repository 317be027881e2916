"""Which word of a slot counts what (FORMAT.md, "Counters file")."""

STAMP_HEAD = 0
STAMP_LANE = 1
SOCKET = 2
BEHIND = 3
SENT = 4
STAMP_SENT_AT = 5
STAMP_WORDS = 6
"""The first words of a socket slot are the stamp of its next message (see ``journal/lane_runs.py``)."""

SENT_MORE_FRAMES = 6
SENT_BYTES = 7
RECEIVED = 8
RECEIVED_MORE_FRAMES = 9
RECEIVED_BYTES = 10
EAGAIN_SENDS = 11
EAGAIN_RECEIVES = 12
WAITED_SENDS = 13
WAITED_NS = 14
ONSETS = 15
UNROUTABLE = 16
GAPS = 17
LOST = 18
DUPLICATED = 19
REORDERED = 20
WAITED_RECEIVES = 21
PROXIED_IN_FRAMES = 22
PROXIED_IN_BYTES = 23
PROXIED_OUT_FRAMES = 24
PROXIED_OUT_BYTES = 25
PENDING_SENDS = 26
PROXIED_AT = 27
SENT_RUN_BASE = 28
SENT_RUN_SIZE = 29
RECEIVED_RUN_BASE = 30
RECEIVED_RUN_SIZE = 31
LANE_RUN_MORE_FRAMES = 32

COUNTER_NAMES = (
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
"""Names of the words 4 and 6 to 27 of a socket slot, in their order."""

LANE_SOCKET = 0
LANE_STREAM = 1
LANE_INDEX = 2
LANE_COUNT = 3
LANE_MORE_FRAMES = 4
LANE_UNSTAMPED = 4
"""The same word, at the receiving end."""

LANE_FIRST = 5
LANE_NEXT = 6
LANE_NEWEST_SENT_AT = 7

SOCKET_SLOT_WORDS = 40
LANE_SLOT_WORDS = 8
