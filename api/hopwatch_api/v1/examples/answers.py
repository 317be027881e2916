"""Which example is of which answer."""

from typing import Any

from hopwatch_api.v1.examples.losses import EVENT, OF_THE_AGENT, OF_THE_ANALYSIS
from hopwatch_api.v1.examples.sockets import CONNECTION, FINDING_OF_SOCKET, LANE, SOCKET
from hopwatch_api.v1.examples.status import STATUS

ANSWERS: dict[tuple[str, int], Any] = {
    ("/v1/status", 200): STATUS,
    ("/v1/sockets", 200): [SOCKET],
    ("/v1/sockets/{identity}", 200): SOCKET,
    ("/v1/connections", 200): [CONNECTION],
    ("/v1/lanes", 200): [LANE],
    ("/v1/findings", 200): [FINDING_OF_SOCKET],
    ("/v1/events", 200): [EVENT],
    ("/v1/incidents", 200): [OF_THE_ANALYSIS, OF_THE_AGENT],
}
"""By path and status."""
