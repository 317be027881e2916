"""What those who watch are pushed."""

import json
from typing import Any

from hopwatch_api.v1.examples.losses import EVENT
from hopwatch_api.v1.examples.sockets import SOCKET
from hopwatch_api.v1.examples.status import STATUS

_SHOWN = (
    "id",
    "name",
    "type",
    "state",
    "state_text",
    "counters",
    "rates",
    "backlog_sent",
    "backlog_received",
    "numbered",
    "unreceived",
)

LIVE: dict[str, Any] = {
    "status": STATUS,
    "states": {"losing": 2, "pressed": 0, "quiet": 1},
    "revisions": {"sockets": 9, "connections": 7, "findings": 1, "incidents": 502},
    "sockets": [{**{name: SOCKET[name] for name in _SHOWN}, "lost": 0}],
    "sockets_left_out": 1,
    "events": [EVENT],
    "events_left_out": 0,
    "newest_event": EVENT["id"],
}


def pushed() -> str:
    """One message, and the one that ends them."""
    return f"event: live\nid: {EVENT['id']}\ndata: {json.dumps(LIVE)}\n\nevent: end\nid: {EVENT['id']}\ndata: {{}}\n\n"
