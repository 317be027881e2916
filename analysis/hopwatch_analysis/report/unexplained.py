"""What the books have left over, in words: that it did not arrive is only said where somebody watched who was to read it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopwatch_judge import NO_PEER, counted

from hopwatch_analysis.doubts.read_past_us import RULES as READ_PAST_US
from hopwatch_analysis.report.records import Analysis, LedgerRow

NOBODY_KNOWN = "no receiver that is known"
MISSING = "They did not arrive, and nothing shows where they were lost, or why:"
NOT_WATCHED = "Whether they arrived is not known, since nobody watched who was to read them:"
SHARED_WITH_OTHERS = (
    "Others than the receivers that are watched read these streams too, and may have got them:"
)
INCOMPLETE = (
    "Nothing that is known tells that they arrived. Not everything that happened is known (below): they may have, and what may rest on that "
    "is not told as sure:"
)


@dataclass(frozen=True)
class LeftOver:
    """Rows of which it is known that messages are missing, and rows of which it is not known whether they are: nobody watched who was to read them
    (``not_watched``), or others read the stream as well (``shared``).
    """

    missing: Sequence[LedgerRow]
    not_watched: Sequence[LedgerRow]
    shared: Sequence[LedgerRow]


def left_over(analysis: Analysis) -> LeftOver:
    """The rows with something unexplained."""
    past_us = {found.socket for found in analysis.findings if found.rule in READ_PAST_US}
    seen = {row.stream for row in analysis.ledger if row.receiver is not None}
    doubted = {row.stream for row in analysis.ledger if row.receiver in past_us}

    def is_missing(row: LedgerRow) -> bool:
        if row.receiver is None:
            return row.stream in seen - doubted
        return row.receiver not in past_us

    rows = [row for row in analysis.ledger if row.unexplained]
    shared = [row for row in rows if row.stream in analysis.shared_with_strangers]
    others = [row for row in rows if row.stream not in analysis.shared_with_strangers]
    missing = [row for row in others if is_missing(row)]
    return LeftOver(missing, [row for row in others if not is_missing(row)], shared)


def beside_losses(analysis: Analysis) -> str:
    """The end of a sentence that tells of losses."""
    left = left_over(analysis)
    missing, not_known = (
        sum(row.unexplained for row in rows) for rows in (left.missing, (*left.not_watched, *left.shared))
    )
    if analysis.evidence_is_incomplete:
        missing, not_known = 0, missing + not_known
    told = [f"; {missing} more did not arrive, and nothing explains it"] if missing else []
    told += [f"; that {not_known} more arrived nothing tells"] if not_known else []
    return "".join(told)


def unexplained(analysis: Analysis, most: int) -> Iterator[tuple[str, list[str], int]]:
    """Paragraphs: what is said first, ``most`` rows in words, and how many rows there are."""
    left = left_over(analysis)
    for rows, why in (
        (left.missing, MISSING),
        (left.not_watched, NOT_WATCHED),
        (left.shared, SHARED_WITH_OTHERS),
    ):
        if rows:
            total = counted(sum(row.unexplained for row in rows), "message")
            why_here = INCOMPLETE if analysis.evidence_is_incomplete else why
            known = {row.stream for row in analysis.ledger if row.receiver}
            told = [
                f"{row.unexplained} of {row.label} → {receiver_called(row, known=row.stream in known)}"
                for row in rows[:most]
            ]
            yield f"UNEXPLAINED: {total}. {why_here}", told, len(rows)


def receiver_called(row: LedgerRow, *, known: bool) -> str:
    """Whom a row of the ledger is about; ``known``: receivers of its stream are."""
    if row.receiver is not None:
        return row.receiver_label or f"socket {row.receiver}"
    if set(row.causes) == {"unroutable"}:
        return NO_PEER
    return "one of its receivers, not known which" if known else NOBODY_KNOWN
