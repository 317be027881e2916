"""The keys, for the help and the last line."""

from hopwatch_console.lines import Line, wrapped
from hopwatch_console.states import LOSING, PRESSED, QUIET, UNKNOWN

KEYS = (
    ("Enter", "details of the row"),
    ("/", "filter: words that all must be there; Enter keeps it, Esc drops it"),
    ("s, S", "sort by the next, the former column; a click on a head too"),
    ("r", "the other way round"),
    ("o", "the order that it had at first"),
    ("p, Space", "pause, and go on"),
    ("1 to 6, Tab", "sockets, connections, findings, incidents, events, agents"),
    ("↑ ↓ j k, PgUp, PgDn", "move; the cursor stays with its row"),
    ("g, G, Home, End", "to the first row, and stay at the top; to the last"),
    ("a", "ask agents that are away again, at once"),
    ("Esc", "back; drop the filter"),
    ("?", "this help"),
    ("q, Ctrl+C", "end"),
)
SHORT = (("Enter", "details"), ("/", "filter"), ("s", "sort"), ("p", "pause"), ("?", "help"), ("q", "end"))

WORDS = (
    (LOSING, "it lost something, or met a full pipe, in the last ten seconds"),
    (PRESSED, "its messages wait, or its sends are refused: losses may follow"),
    (QUIET, "neither"),
    (UNKNOWN, "its agent is away; totals are those that it told last"),
    (
        "Backlog",
        "messages sent and not seen by the receiver yet: at least - at most; of a socket with both, ↑ what it sends, ↓ what it receives",
    ),
    ("Wait", "messages that wait on the connection, of sockets that stamp: at least - at most"),
    ("Waits for", "receiver: it does not read; network: the link is slow or loses packets"),
)


def help_lines(width: int) -> list[Line]:
    """All of them, and what words mean."""
    beside = 21 if width >= 50 else 0
    lines = []
    for title, entries in (("Keys", KEYS), ("Words", WORDS)):
        lines.append(Line(title, "head"))
        for name, meaning in entries:
            first = f"{name:<{beside}}" if beside else f"{name}: "
            lines += wrapped(meaning, width, first=first, later=" " * (beside or 4))
        lines.append(Line())
    lines += [
        *wrapped(
            "All times are UTC. Rates are of about the last two seconds, totals since a socket was opened.",
            width,
        ),
    ]
    return lines
