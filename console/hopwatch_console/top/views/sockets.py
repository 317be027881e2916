"""The tab of sockets: who loses, who is pressed, and what goes through them."""

from collections.abc import Iterator
from dataclasses import dataclass

from hopwatch_console.fleet.connected import connected
from hopwatch_console.fleet.picture import AgentPicture, Picture
from hopwatch_console.fleet.standing import Standing, rank, standing_of
from hopwatch_console.lines import Line
from hopwatch_console.plain import plain
from hopwatch_console.records import Socket
from hopwatch_console.socket_text import owner
from hopwatch_console.states import QUIET, STYLES
from hopwatch_console.top.columns import Column
from hopwatch_console.top.sparkline import sparkline
from hopwatch_console.top.views.socket_details import socket_details
from hopwatch_console.top.views.view import View
from hopwatch_console.traffic import Flow, inward, outward, traffic_of
from hopwatch_console.words import backlogs_shortly, number, per_second

SPARK_CELLS = 12


@dataclass(frozen=True)
class SocketItem:
    """One socket, with its agent."""

    agent: AgentPicture
    socket: Socket
    standing: Standing


def _items(picture: Picture) -> list[SocketItem]:
    return [
        SocketItem(agent, socket, standing_of(socket)) for agent in picture.agents for socket in agent.sockets
    ]


def _worst_first(item: SocketItem) -> tuple[object, ...]:
    rates = item.socket.rates
    return (
        rank(item.standing.state),
        -rates.lost - rates.unroutable,
        -item.socket.missing,
        -traffic_of(item.socket),
        item.socket.name,
    )


def _backlog_of(item: SocketItem) -> int:
    told = (item.socket.backlog_sent, item.socket.backlog_received)
    return max((each.at_most for each in told if each is not None), default=-1)


def _backlog(item: SocketItem) -> str:
    return backlogs_shortly(item.socket.backlog_sent, item.socket.backlog_received)


def _rate(rate: float) -> str:
    return per_second(rate) if rate else ""


def _flow(flow: Flow) -> str:
    return f"{_rate(flow.rate)} fr" if flow.rate and flow.unit == "frames" else _rate(flow.rate)


def _total(count: float) -> str:
    return number(count) if count else ""


def _missing(item: SocketItem) -> str:
    return "uncounted" if item.socket.is_uncounted else _total(item.socket.missing)


def _style(item: SocketItem) -> str:
    return "" if item.standing.state == QUIET else STYLES.get(item.standing.state, "")


def _loss_style(item: SocketItem) -> str:
    return "bad" if item.socket.rates.lost or item.socket.rates.unroutable else ""


COLUMNS = (
    Column[SocketItem]("State", 7, lambda item: item.standing.state, _worst_first, style=_style),
    Column[SocketItem](
        "Socket", 11, lambda item: plain(item.socket.name, 80), lambda item: item.socket.name, weight=2
    ),
    Column[SocketItem](
        "Type", 6, lambda item: plain(item.socket.type, 8), lambda item: item.socket.type, place=6
    ),
    Column[SocketItem](
        "Sent/s",
        9,
        lambda item: _flow(outward(item.socket)),
        lambda item: outward(item.socket).rate,
        place=3,
        right=True,
        falling=True,
    ),
    Column[SocketItem](
        "Recv/s",
        9,
        lambda item: _flow(inward(item.socket)),
        lambda item: inward(item.socket).rate,
        place=4,
        right=True,
        falling=True,
    ),
    Column[SocketItem](
        "Lost/s",
        7,
        lambda item: _rate(item.socket.rates.lost + item.socket.rates.unroutable),
        lambda item: item.socket.rates.lost + item.socket.rates.unroutable,
        place=1,
        right=True,
        style=_loss_style,
        falling=True,
    ),
    Column[SocketItem](
        "Lost",
        9,
        _missing,
        lambda item: item.socket.missing,
        place=2,
        right=True,
        falling=True,
    ),
    Column[SocketItem]("Backlog", 13, _backlog, _backlog_of, place=5, right=True, falling=True),
    Column[SocketItem](
        "Last 12 s",
        SPARK_CELLS,
        lambda item: sparkline(item.agent.history.get(item.socket.id, ()), SPARK_CELLS),
        place=7,
        style="spark",
    ),
    Column[SocketItem](
        "Where", 18, lambda item: owner(item.socket), lambda item: owner(item.socket), place=9, weight=1
    ),
    Column[SocketItem]("Why", 24, lambda item: plain(item.standing.text), place=8, weight=6),
    Column[SocketItem](
        "Agent",
        15,
        lambda item: item.agent.name,
        lambda item: item.agent.name,
        of_several=True,
        place=10,
        weight=1,
    ),
)


def _searched(item: SocketItem) -> str:
    socket = item.socket
    words = (
        item.standing.state,
        socket.name,
        socket.type,
        socket.host,
        socket.process.command,
        str(socket.process.pid),
        item.agent.name,
        socket.id,
        *socket.endpoints,
    )
    return " ".join(words)


def _details(item: SocketItem, picture: Picture, width: int) -> Iterator[Line]:
    own = [
        one
        for one in connected(picture)
        if (one.agent.address, one.connection.socket) == (item.agent.address, item.socket.id)
    ]
    return socket_details(item.agent, item.socket, own, width)


SOCKETS = View[SocketItem](
    "Sockets",
    COLUMNS,
    _items,
    count=lambda picture: sum(len(agent.sockets) for agent in picture.agents),
    key=lambda item: f"{item.agent.address.url} {item.socket.id}",
    details=_details,
    searched=_searched,
    line=lambda item: f"{item.socket.name}: {item.standing.text or owner(item.socket)}",
    empty="no sockets: wrap them (hopwatch.wrap), or start programs by hopwatch run",
)
