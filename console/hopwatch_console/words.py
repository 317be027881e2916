"""Figures, times and units in words, as the report has them."""

from datetime import datetime, timezone

from hopwatch_console.connection_records import Waiting
from hopwatch_console.records import Backlog


def number(value: float) -> str:
    """A whole number with its thousands set apart."""
    return f"{value:,.0f}"


def counted(value: float, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"1 {noun}" if value == 1 else f"{number(value)} {plural or noun + 's'}"


def per_second(rate: float) -> str:
    """A rate; it is 0 only where there is nothing."""
    if 0 < rate < 0.1:
        return "<0.1"
    return f"{rate:.1f}" if 0 < rate < 9.95 else number(rate)


def size(value: float) -> str:
    """Bytes."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 9.95 else f"{value:.1f} {unit}"


def milliseconds(microseconds: int) -> str:
    """A time on the way."""
    value = microseconds / 1000
    return f"{value:.2f}" if value < 1 else f"{value:,.1f}"


def backlog(value: Backlog | Waiting | None) -> str:
    """How many messages are on their way, or wait."""
    if value is None:
        return "not known"
    if value.at_least == value.at_most:
        return number(value.at_most)
    return f"at least {number(value.at_least)}, at most {number(value.at_most)}"


def backlog_shortly(value: Backlog | Waiting | None) -> str:
    """The same in a column."""
    if value is None:
        return ""
    if value.at_least == value.at_most:
        return number(value.at_most)
    return f"{number(value.at_least)}-{number(value.at_most)}"


def backlogs_shortly(sent: Backlog | None, received: Backlog | None) -> str:
    """Those of a socket, in a column: of one that sends and receives both, with arrows, where there is something of both."""
    if sent is not None and received is not None and sent.at_most and received.at_most:
        return f"↑{backlog_shortly(sent)} ↓{backlog_shortly(received)}"
    known = [told for told in (sent, received) if told is not None]
    return backlog_shortly(max(known, key=lambda told: told.at_most, default=None))


def clock(moment: datetime | None, now: datetime | None = None) -> str:
    """A time in UTC, with its day where that is another one than today's."""
    if moment is None:
        return ""
    told = in_utc(moment)
    today = in_utc(now) if now is not None else datetime.now(timezone.utc)
    return f"{told:%H:%M:%S}" if told.date() == today.date() else f"{told:%m-%d %H:%M}"


def day_and_clock(moment: datetime | None) -> str:
    """A time; it is in UTC."""
    return "not known" if moment is None else f"{in_utc(moment):%Y-%m-%d %H:%M:%S}"


def in_utc(moment: datetime) -> datetime:
    """Agents write UTC; a time without a zone is taken as such."""
    return moment.astimezone(timezone.utc) if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def lasting(seconds: float) -> str:
    """A duration in its two largest units."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"
