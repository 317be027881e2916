"""One connection in a few lines: who is at its ends, why it went down, how many messages wait on it, and where they may be."""

from collections.abc import Iterator

from hopwatch_console.connection_records import Connection, PlaceOfMessages
from hopwatch_console.fleet.connected import Connected
from hopwatch_console.lines import Line, wrapped
from hopwatch_console.plain import plain
from hopwatch_console.words import backlog, counted, day_and_clock, milliseconds, number, size

WAITS_FOR = {"receiver": "an end that does not read", "network": "the network"}
"""What the kernel says that the messages of a connection wait for."""
_PLACES = {"sender": "in the pipe of", "kernel": "in the kernel's buffers", "receiver": "in the pipe of"}

_ENDS = {"sender": ", the sending end", "receiver": ", the receiving end"}
"""Which end it is, where both have one name."""


def connection_lines(item: Connected, width: int, *, style: str = "") -> Iterator[Line]:
    """Of at most so many cells; the first line has the style."""
    told = item.connection
    why = why_down(told)
    yield from wrapped(
        f"{ends_of(item)} {plain(told.state, 20)} since {day_and_clock(told.since)} UTC{f': {why}' if why else ''}",
        width,
        first="  ",
        later="    ",
        style=style,
    )
    for text in filter(None, (waiting_text(told), waits_for_text(told))):
        yield from wrapped(text, width, first="    ", later="      ")


def why_down(told: Connection) -> str:
    """Why it went down, or never came up; empty where nothing tells."""
    return plain(told.ended.text, 1000) if told.ended is not None else plain(told.reason or "")


def waits_for(told: Connection) -> str:
    """What its messages wait for, as the kernel says; empty where they do not, or where that is not clear."""
    return "" if told.tcp is None else WAITS_FOR.get(told.tcp.limited_by, "")


def messages_wait(told: Connection) -> bool:
    """Whether any may."""
    return bool(waits_for(told)) or (told.waiting is not None and told.waiting.at_most > 0)


def waiting_text(told: Connection) -> str:
    """How many messages wait, and where they may be: bounds, since nobody can look into a pipe. Empty where it is not known."""
    waiting = told.waiting
    if waiting is None:
        return ""
    verb = "message waits" if waiting.at_least == waiting.at_most == 1 else "messages wait"
    names = [place.socket_name for place in waiting.places if place.socket_name is not None]
    alike = len({*names}) < len(names)
    each = [_place(place, _ENDS.get(place.place, "") if alike else "") for place in waiting.places]
    places = ", ".join(each) if waiting.at_most else ""
    return f"{backlog(waiting)} {verb}{': ' if places else ''}{places}"


def _place(place: PlaceOfMessages, end: str) -> str:
    where = _PLACES.get(place.place, plain(place.place, 40))
    name = "" if place.socket_name is None else f" {plain(place.socket_name, 80)}{end}"
    mark = "" if place.mark is None else f" (its mark: {number(place.mark) if place.mark else 'none'})"
    held = "" if place.bytes is None else f" ({size(place.bytes)})"
    bound = "about" if place.place == "kernel" else "up to"
    return f"{bound} {number(place.at_most)} {where}{name}{mark}{held}"


def waits_for_text(told: Connection) -> str:
    """What its messages wait for, and by which figures of the kernel."""
    limit = waits_for(told)
    if told.tcp is None or not limit:
        return ""
    return f"messages wait for {limit} (the kernel: {'; '.join(plain(text) for text in told.tcp.evidence)})"


def round_trip_text(told: Connection) -> str:
    """How long the way is, and how often something had to be sent again."""
    if told.tcp is None or told.tcp.rtt_us is None:
        return ""
    again = told.tcp.retransmissions
    more = f", {counted(again, 'retransmission')}" if again else ""
    return f"rtt {milliseconds(told.tcp.rtt_us)} ms{more}"


def ends_of(item: Connected) -> str:
    """Their names; of an end without one its address."""
    other = item.other or item.connection.remote or item.connection.endpoint
    return f"{plain(item.own, 80)} - {plain(other, 120)}"
