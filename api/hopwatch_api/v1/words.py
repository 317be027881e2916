"""Words of which there are so many and no more: what a parameter may be."""

from typing import Literal

SocketType = Literal[
    "PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM",
    "SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL",
]  # fmt: skip
EventKind = Literal[
    "process", "place", "socket", "option", "endpoint", "subscription", "connection", "gap", "onset",
    "unroutable", "proxy", "finding", "oom", "fault",
]  # fmt: skip
SocketState = Literal["losing", "pressed", "quiet", "closed"]
ConnectionState = Literal["connected", "ready", "disconnected", "retrying", "refused"]
Cause = Literal[
    "slow_receiver", "hwm_too_low", "network", "reconnect", "slow_joiner", "closed", "receiver_died",
    "sender_died", "unroutable", "conflated", "oversize",
]  # fmt: skip
Source = Literal["agent", "analysis"]
Role = Literal["send", "receive", "count"]
YesOrNo = Literal["true", "false"]
