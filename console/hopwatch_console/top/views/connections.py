"""The tab of connections: who talks to whom, who went and why, how many messages wait and what for."""

from collections.abc import Iterator

from hopwatch_console.connection_text import (
    ends_of,
    round_trip_text,
    waiting_text,
    waits_for,
    waits_for_text,
    why_down,
)
from hopwatch_console.fleet.connected import Connected, connected
from hopwatch_console.fleet.picture import Picture
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.states import STYLES, UNKNOWN
from hopwatch_console.top.columns import Column
from hopwatch_console.top.views.view import View
from hopwatch_console.words import backlog_shortly, day_and_clock, milliseconds, number


def _waits_for(item: Connected) -> str:
    return (
        plain(item.connection.tcp.limited_by, 12)
        if item.connection.tcp and waits_for(item.connection)
        else ""
    )


def _wait(item: Connected) -> int:
    waiting = item.connection.waiting
    return -1 if waiting is None else waiting.at_most


def _rtt(item: Connected) -> int:
    tcp = item.connection.tcp
    return -1 if tcp is None or tcp.rtt_us is None else tcp.rtt_us


def _retransmissions(item: Connected) -> int:
    tcp = item.connection.tcp
    return 0 if tcp is None or tcp.retransmissions is None else tcp.retransmissions


def _worst_first(item: Connected) -> tuple[object, ...]:
    return (item.connection.is_up, not _waits_for(item), -_wait(item), item.own)


def _style(item: Connected) -> str:
    if item.connection.is_up:
        return ""
    return STYLES[UNKNOWN] if item.connection.state == UNKNOWN else "bad"


def _details(item: Connected, _picture: Picture, width: int) -> Iterator[Line]:
    told = item.connection
    yield from wrapped(ends_of(item), width, later="  ", style="head")
    why = why_down(told)
    yield from wrapped(
        f"{plain(told.state, 20)} since {day_and_clock(told.since)} UTC{f': {why}' if why else ''}",
        width,
        later="  ",
        style=_style(item),
    )
    yield from wrapped(
        f"endpoint {plain(told.endpoint)}, {'accepted' if told.accepted else 'connected by this end'}",
        width,
        later="  ",
    )
    yield from wrapped(
        f"{plain(told.local or 'no address')} - {plain(told.remote or 'no address')}", width, later="  "
    )
    yield Line()
    if told.is_up:
        waiting = waiting_text(told) or "how many messages wait is not known"
        yield from wrapped(waiting, width, later="  ")
    if told.tcp is None:
        yield Line("the kernel tells nothing of it")
    for text in filter(None, (waits_for_text(told), round_trip_text(told))):
        yield from wrapped(text, width, later="  ")


def _line(item: Connected) -> str:
    told = item.connection
    ends = f"{told.local or ''} - {told.remote or told.endpoint}"
    return waits_for_text(told) or why_down(told) or waiting_text(told) or ends


COLUMNS = (
    Column[Connected]("State", 12, lambda item: plain(item.connection.state, 12), _worst_first, style=_style),
    Column[Connected](
        "Socket",
        12,
        lambda item: plain(item.own, 80),
        lambda item: item.own,
        weight=2,
    ),
    Column[Connected](
        "Other end", 12, lambda item: plain(item.other, 80), lambda item: item.other, place=1, weight=2
    ),
    Column[Connected]("Waits for", 9, _waits_for, _waits_for, place=2, style="warn", falling=True),
    Column[Connected](
        "Wait",
        9,
        lambda item: backlog_shortly(item.connection.waiting),
        _wait,
        place=3,
        right=True,
        falling=True,
    ),
    Column[Connected](
        "Remote",
        21,
        lambda item: plain(item.connection.remote or item.connection.endpoint, 80),
        lambda item: item.connection.remote or item.connection.endpoint,
        place=5,
        weight=1,
    ),
    Column[Connected](
        "rtt ms",
        7,
        lambda item: "" if _rtt(item) < 0 else milliseconds(_rtt(item)),
        _rtt,
        place=6,
        right=True,
        falling=True,
    ),
    Column[Connected](
        "Retrans",
        7,
        lambda item: number(_retransmissions(item)) if _retransmissions(item) else "",
        _retransmissions,
        place=7,
        right=True,
        falling=True,
    ),
    Column[Connected]("Local", 21, lambda item: plain(item.connection.local or "", 80), place=8, weight=1),
    Column[Connected]("Why it is down", 14, lambda item: why_down(item.connection), place=4, weight=3),
    Column[Connected](
        "Agent", 15, lambda item: item.agent.name, lambda item: item.agent.name, of_several=True, place=9
    ),
)

CONNECTIONS = View[Connected](
    "Connections",
    COLUMNS,
    connected,
    count=lambda picture: sum(len(agent.connections) for agent in picture.agents),
    key=lambda item: (
        f"{item.agent.address.url} {item.connection.socket} {item.connection.connection} {item.connection.endpoint}"
    ),
    details=_details,
    searched=lambda item: " ".join(
        (
            item.own,
            item.other,
            item.connection.state,
            item.connection.remote or "",
            item.connection.endpoint,
            why_down(item.connection),
            item.agent.name,
        )
    ),
    line=_line,
    empty="no connections",
)
