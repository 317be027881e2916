"""Words for figures and facts, as evidence and verdict say them."""

from hopwatch_analysis.report.incident import Incident


def routing_id(peer: str) -> str:
    """A routing id as its owner wrote it, where that can be printed; else in hex."""
    text = bytes.fromhex(peer).decode("ascii", "replace")
    return repr(text) if text.isprintable() and "\ufffd" not in text else f"0x{peer}"


def how(end: str | None) -> str:
    return {
        "closed": "was closed",
        "exited": "ended because its process exited with the socket still open",
        "died": "ended because its process was killed or crashed",
    }.get(end or "", "ended")


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural unless it is one."""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def one_or_several(incident: Incident, one: str, several: str) -> str:
    return one if incident.lost == 1 else several


def streams(incident: Incident) -> str:
    return ", ".join(incident.stream_labels)


def rate(value: float | None, unknown: str, known: str) -> str:
    return unknown if value is None else known.format(f"{value:.0f}")


def mark(value: int | None) -> str:
    return "not known" if value is None else "0 (unlimited)" if value == 0 else str(value)


def percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def often(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
