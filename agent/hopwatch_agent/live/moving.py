"""The sockets of which there is something to tell just now."""

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.answers import MovingSocketView
from hopwatch_agent.live.board import Counts, Shown
from hopwatch_agent.live.condition import QUIET
from hopwatch_agent.live.shaping import counters_of, gets_numbers, rates_of

SOCKETS_TOLD = 200
_URGENCY = {"losing": 2, "pressed": 1}


def moving_sockets(shown: Shown, limit: int) -> tuple[list[MovingSocketView], int]:
    """Those that lose, are pressed, move, or have something on its way: in this order, the busiest first; and how many others there are."""
    told = [
        (_urgency(identity, shown), _moved(history[0][1], history[-1][1]), identity)
        for identity, history in shown.history.items()
        if identity in shown.tables.sockets and _has_news(identity, shown)
    ]
    told.sort(reverse=True)
    return [_view(identity, shown) for *_, identity in told[:limit]], max(0, len(told) - limit)


def _has_news(identity: str, shown: Shown) -> bool:
    history = shown.history[identity]
    backlogs = shown.backlog
    return (
        history[0][1] != history[-1][1]
        or identity in shown.conditions
        or any(identity in ends and ends[identity].at_most for ends in (backlogs.sent, backlogs.received))
    )


def _urgency(identity: str, shown: Shown) -> int:
    return _URGENCY.get(shown.conditions.get(identity, QUIET).state, 0)


def _moved(before: Counts, now: Counts) -> int:
    sent, received = COUNTERS.index("sent"), COUNTERS.index("received")
    return now[sent] - before[sent] + now[received] - before[received]


def _view(identity: str, shown: Shown) -> MovingSocketView:
    socket, history = shown.tables.sockets[identity], shown.history[identity]
    state, text = shown.conditions.get(identity, QUIET)
    counters = counters_of(history[-1][1])
    return MovingSocketView(
        id=identity,
        name=socket.name,
        type=socket.type,
        state=state,
        state_text=text,
        lost=int(counters["lost"]),
        counters=counters,
        rates={name: round(rate, 3) for name, rate in rates_of(history).items()},
        backlog_sent=shown.backlog.sent.get(identity),
        backlog_received=shown.backlog.received.get(identity),
        numbered=gets_numbers(socket, counters),
        unreceived=shown.unreceived.get(identity, 0),
    )
