"""One socket in a few lines: who it is, what goes through it, what it lost, and why."""

from collections.abc import Iterator

from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Socket
from hopwatch_console.traffic import inward, outward
from hopwatch_console.words import backlog, counted, number, per_second


def socket_lines(socket: Socket, width: int) -> Iterator[Line]:
    """Of at most so many cells."""
    yield from wrapped(
        f"{plain(socket.name, 60)} ({plain(socket.type, 12)})  {owner(socket)}",
        width,
        first="  ",
        later="    ",
    )
    yield from wrapped("; ".join(figures(socket)), width, first="    ", later="      ")
    why = standing_of(socket).text
    if why:
        yield from wrapped(plain(why), width, first="    why: ", later="      ")


def owner(socket: Socket) -> str:
    """Host, and process or container."""
    process = socket.process
    pid = "" if process.pid is None else f" pid {process.pid}"
    place = process.place
    pod = "/".join(part for part in (place.namespace, place.pod, place.container) if part) if place else ""
    where = f"{plain(pod, 120)} on {plain(socket.host, 40)}" if pod else plain(socket.host, 40)
    return f"{where}{pid} {plain(process.command, 80)}".strip()


def figures(socket: Socket) -> Iterator[str]:
    """What there is to tell of what it counts; of a socket that does nothing, just that."""
    flows = (("sends", outward(socket)), ("receives", inward(socket)))
    for verb, flow in flows:
        if flow.rate:
            yield f"{verb} {per_second(flow.rate)} {flow.unit}/s"
        elif flow.total:
            yield f"{verb} nothing just now"
    if not any(flow.rate or flow.total for _, flow in flows):
        yield "nothing has gone through it"
    yield from _losses(socket)
    if socket.counters.onsets:
        yield f"met a full pipe {counted(socket.counters.onsets, 'time')}"
    if socket.backlog_sent is not None and socket.backlog_sent.at_most:
        yield f"backlog sent: {backlog(socket.backlog_sent)}"
    if socket.backlog_received is not None and socket.backlog_received.at_most:
        yield f"backlog received: {backlog(socket.backlog_received)}"


def _losses(socket: Socket) -> Iterator[str]:
    rates, counters = socket.rates, socket.counters
    for noun, rate, total in (
        ("lost", rates.lost, counters.lost),
        ("unroutable", rates.unroutable, counters.unroutable),
        ("not read when it ended", 0.0, socket.left_behind or 0),
    ):
        if total or rate:
            now = f" ({per_second(rate)}/s)" if rate else ""
            yield f"{noun} {number(total)}{now}"
    if socket.died_with:
        yield f"died with {number(socket.died_with)} or more on their way to it"
    if socket.is_uncounted:
        yield "losses not counted here: nothing that it got was numbered"
