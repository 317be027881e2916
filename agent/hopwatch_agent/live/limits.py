"""How much is held in memory of what journals tell. What they tell is not trusted: none may cost without bound."""

from dataclasses import dataclass

TEXT_LIMIT = 512
"""Characters of one text: a topic of 255 bytes, in hex, fits."""

ADVICE_LIMIT = 2_000
OPTIONS_KEPT = 100


@dataclass(frozen=True)
class Limits:
    """How many processes are followed at once, and how many sockets and lanes are held of all of them.

    ``series``: how many series of sockets metrics tell of, beside that of all others. Connections are held as many as lanes. One process gets no more than half, so that the others go on.
    """

    processes: int = 1_000
    sockets: int = 10_000
    lanes: int = 100_000
    series: int = 2_000

    @property
    def connections(self) -> int:
        """Connections of all sockets."""
        return self.lanes


def share(limit: int) -> int:
    """What one process may have of a limit."""
    return max(1, limit // 2)


def kept(text: str, limit: int = TEXT_LIMIT) -> str:
    """The text as it is held: whole, or its beginning. What is landed is whole."""
    return text if len(text) <= limit else text[:limit] + "…"


def kept_or_none(text: str | None) -> str | None:
    """The same, of what may be none."""
    return None if text is None else kept(text)
