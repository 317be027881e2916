"""Which word of a slot counts what (FORMAT.md, "Counters file")."""

SOCKET = 0
SENT = 1
SENT_MORE_FRAMES = 2
SENT_BYTES = 3
RECEIVED = 4
RECEIVED_MORE_FRAMES = 5
RECEIVED_BYTES = 6
EAGAIN_SENDS = 7
EAGAIN_RECEIVES = 8
WAITED_SENDS = 9
WAITED_NS = 10
ONSETS = 11
UNROUTABLE = 12
GAPS = 13
LOST = 14
DUPLICATED = 15
REORDERED = 16
WAITED_RECEIVES = 17
PROXIED_IN_FRAMES = 18
PROXIED_IN_BYTES = 19
PROXIED_OUT_FRAMES = 20
PROXIED_OUT_BYTES = 21
PENDING_SENDS = 22
PROXIED_AT = 23

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
"""Names of the words behind the first of a socket slot, in their order."""

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

SOCKET_SLOT_WORDS = 24
LANE_SLOT_WORDS = 8
