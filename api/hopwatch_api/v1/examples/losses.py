"""Events, and losses."""

from typing import Any

from hopwatch_api.v1.examples.sockets import OWNER, PROCESS, QUOTES, SLOW

HOST = "trading/feed-0"

EVENT: dict[str, Any] = {
    "id": 23,
    "kind": "gap",
    "at": "2026-11-27T09:43:00.035013Z",
    "host": HOST,
    "process": PROCESS,
    "n": 21,
    "values": {
        "socket": SLOW,
        "stream": QUOTES,
        "lane": 0,
        "action": "gap",
        "first": 100,
        "last": 120,
        "lost": 21,
        "before": 99,
        "after": 121,
        "before_sent_at": 1795772579944563000,
        "after_sent_at": 1795772579947426000,
        "received": 101,
    },
}
_ENDS: dict[str, Any] = {
    "from": {
        "host": HOST,
        "process": PROCESS,
        "socket": QUOTES,
        "name": "quotes",
        "type": "PUB",
        "place": OWNER["place"],
    },
    "to": {
        "host": HOST,
        "process": PROCESS,
        "socket": SLOW,
        "name": "slow",
        "type": "SUB",
        "place": OWNER["place"],
    },
    "streams": [QUOTES],
}
OF_THE_ANALYSIS: dict[str, Any] = {
    "id": None,
    "hop": "quotes → slow",
    "socket": SLOW,
    "stream": QUOTES,
    "lanes": None,
    "host": HOST,
    "cause": "slow_receiver",
    "certainty": "inferred",
    "preliminary": False,
    "started_at": "2026-11-27T09:30:12.104511Z",
    "ended_at": "2026-11-27T09:30:19.930208Z",
    "lost": 7500,
    "gaps": None,
    "evidence": [
        {
            "kind": "rates",
            "text": "sent at 1616 messages/s on average, its pauses included; the receiver was seen to read at up to 472/s",
        }
    ],
    "source": "analysis",
    **_ENDS,
    "advice": [
        "If it only needs the newest messages, drop on purpose: subscribe to less, or skip old ones when it lags."
    ],
    "analysed_at": "2026-11-27T09:31:04.518220Z",
}
OF_THE_AGENT: dict[str, Any] = {
    "id": 23,
    "hop": "quotes → slow",
    "socket": SLOW,
    "stream": QUOTES,
    "lanes": 1,
    "host": HOST,
    "cause": None,
    "certainty": None,
    "preliminary": True,
    "started_at": "2026-11-27T09:43:00.035013Z",
    "ended_at": "2026-11-27T09:43:02.833566Z",
    "lost": 23536,
    "gaps": 251,
    "evidence": [
        {"kind": "onset", "text": "the sender's pipe was full 251 times among its messages 99 to 31461"}
    ],
    "source": "agent",
    **_ENDS,
    "advice": None,
    "analysed_at": None,
}
