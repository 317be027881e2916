"""The sockets that messages go through just now."""

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import MovingSocketView
from hopwatch_agent.live.board import Counts, Shown
from hopwatch_agent.live.shaping import rates_of

SOCKETS_TOLD = 200
_LOST = COUNTERS.index("lost")


def moving_sockets(shown: Shown) -> tuple[list[MovingSocketView], int]:
    """The busiest of them, and how many others there are."""
    moving = [
        (_moved(history[0][1], history[-1][1]), socket)
        for socket, history in shown.history.items()
        if history[0][1] != history[-1][1] and socket in shown.tables.sockets
    ]
    moving.sort(reverse=True)
    views = []
    for _, identity in moving[:SOCKETS_TOLD]:
        socket, history = shown.tables.sockets[identity], shown.history[identity]
        lost = history[-1][1][_LOST]
        views.append(MovingSocketView(identity, socket.name, socket.type, lost, rates_of(history)))
    return views, len(moving) - len(views)


def _moved(before: Counts, now: Counts) -> int:
    sent, received = COUNTERS.index("sent"), COUNTERS.index("received")
    return now[sent] - before[sent] + now[received] - before[received]
