"""All that is known of one socket."""

from collections.abc import Iterator

from hopwatch_console.connection_text import connection_lines, round_trip_text
from hopwatch_console.fleet.connected import Connected
from hopwatch_console.fleet.picture import AgentPicture
from hopwatch_console.fleet.standing import standing_of
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.records import Backlog, Socket
from hopwatch_console.socket_text import owner
from hopwatch_console.states import STYLES, UNKNOWN
from hopwatch_console.top.sparkline import sparkline
from hopwatch_console.top.views.losses import finding_lines, incident_lines
from hopwatch_console.traffic import outward
from hopwatch_console.words import backlog, counted, day_and_clock, number, per_second, size

COUNTED = (
    ("sent", "sent"),
    ("received", "received"),
    ("lost", "lost"),
    ("gaps", "gaps"),
    ("onsets", "full pipes met (onsets)"),
    ("unroutable", "unroutable"),
    ("eagain_sends", "sends refused (EAGAIN)"),
    ("eagain_receives", "receives without a message"),
    ("waited_sends", "sends that waited"),
    ("duplicated", "duplicated"),
    ("reordered", "reordered"),
    ("proxied_out_frames", "frames that a proxy sent"),
    ("proxied_in_frames", "frames that a proxy read"),
)
OF_ANY_OTHER = {"sent", "received", "lost"}
OF_A_PROXY = {"proxied_out_frames", "proxied_in_frames", "lost"}
"""What is told though it be nothing."""


def socket_details(
    agent: AgentPicture, socket: Socket, connections: list[Connected], width: int
) -> Iterator[Line]:
    """Who it is, how it stands, figures, connections, options, findings and incidents."""
    standing = standing_of(socket)
    yield from _identity(agent, socket, width)
    yield Line()
    why = f": {plain(standing.text, 1000)}" if standing.text else ""
    style = STYLES.get(standing.state, "")
    yield from wrapped(f"{plain(standing.state, 20)}{why}", width, later="  ", style=style)
    yield from _figures(socket, known=standing.state != UNKNOWN)
    yield from _backlogs(socket, width)
    spark = sparkline(agent.history.get(socket.id, ()), 60)
    if spark.strip():
        yield Line(f"{outward(socket).unit}/s in the last minute: {spark.strip()}")
    yield from _connections(connections, width)
    yield from _settings(socket, width)
    for finding in socket.findings:
        yield Line()
        yield from finding_lines(finding.rule, finding.text, finding.advice, width)
    for incident in reversed(agent.incidents):
        if socket.id in {incident.socket, incident.stream}:
            yield Line()
            yield from incident_lines(incident, width)


def _identity(agent: AgentPicture, socket: Socket, width: int) -> Iterator[Line]:
    name = f"{plain(socket.name, 200)} ({plain(socket.type, 12)})"
    yield from wrapped(name, width, later="  ", style="head")
    yield from wrapped(owner(socket), width, later="  ")
    opened = f"opened {day_and_clock(socket.opened_at)} UTC"
    closed = f", closed {day_and_clock(socket.closed_at)} UTC" if socket.closed_at is not None else ""
    about = f"id {plain(socket.id, 40)}, {opened}{closed}, told by {agent.address.url}"
    yield from wrapped(about, width, later="  ")


def _figures(socket: Socket, *, known: bool) -> Iterator[Line]:
    """``known``: whether its rates are."""
    always = OF_A_PROXY if socket.proxy else OF_ANY_OTHER
    for name, words in COUNTED:
        total, rate = getattr(socket.counters, name), getattr(socket.rates, name)
        if total or rate or name in always:
            now = f"   {per_second(rate):>9}/s" if known else ""
            yield Line(f"  {words:<27} {number(total):>15}{now}")
    for name, words in (("sent_bytes", "bytes sent"), ("received_bytes", "bytes received")):
        total, rate = getattr(socket.counters, name), getattr(socket.rates, name)
        if total:
            now = f"   {size(rate):>9}/s" if known else ""
            yield Line(f"  {words:<27} {size(total):>15}{now}")
    if socket.counters.waited_seconds:
        yield Line(f"  {'seconds that sends waited':<27} {socket.counters.waited_seconds:>15,.1f}")
    if socket.is_uncounted:
        yield Line("  what it lacks is not counted here: nothing that it got was numbered")
    if socket.left_behind:
        yield Line(f"  {'not read when it ended':<27} {number(socket.left_behind):>15}")
    if socket.died_with:
        yield Line(f"  {'on their way when it died':<27} {number(socket.died_with):>15} or more")
    if socket.counters.pending_sends:
        yield Line(f"  {'sends waiting here':<27} {number(socket.counters.pending_sends):>15}")


def _backlogs(socket: Socket, width: int) -> Iterator[Line]:
    for words, told in (
        ("what it sends", socket.backlog_sent),
        ("what it receives", socket.backlog_received),
    ):
        if told is not None:
            yield from wrapped(f"backlog of {words}: {backlog(told)}{_waiting(told)}", width, later="  ")


def _waiting(told: Backlog) -> str:
    if not told.at_most:
        return ""
    most = "" if told.oldest_at_most is None else f", at most {told.oldest_at_most:.1f} s"
    return f"; the oldest has waited at least {told.oldest_at_least:.1f} s{most}"


def _connections(items: list[Connected], width: int) -> Iterator[Line]:
    """Those that went down too."""
    yield Line()
    yield Line(f"{counted(len(items), 'connection')}", "head")
    for item in items:
        told = item.connection
        yield from connection_lines(item, width, style="" if told.is_up else "bad")
        ends = f"{plain(told.local or told.endpoint, 120)} - {plain(told.remote or 'no address', 120)}"
        for text in filter(None, (round_trip_text(told), ends)):
            yield from wrapped(text, width, first="    ", later="      ")


def _settings(socket: Socket, width: int) -> Iterator[Line]:
    yield Line()
    yield Line("Endpoints and options", "head")
    yield from wrapped(
        ", ".join(plain(endpoint, 200) for endpoint in socket.endpoints) or "none",
        width,
        first="  ",
        later="    ",
    )
    told = ", ".join(f"{plain(name, 40)} {value}" for name, value in socket.options.items())
    if told:
        yield from wrapped(told, width, first="  ", later="    ")
