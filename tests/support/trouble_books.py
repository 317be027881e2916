"""What a report tells of a user's trouble, and what the program's own numbers tell."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

ENDED_BY_USER = {"receiver_died", "sender_died", "closed"}
_LOSSES = re.compile(
    r"LOSING|the sender's pipe was full|met a full pipe|\b(?:lacks|misses) [1-9]|(?<![\d,])[1-9][\d,]* messages? (?:lost|missing)"
)

Report = dict[str, Any]


def causes(report: Report) -> dict[str, int]:
    found = Counter[str]()
    for incident in report["incidents"]:
        found[incident["cause"]] += incident["lost"]
    return dict(found)


def words_on(report: Report, cause: str) -> str:
    """All evidence and advice on a cause."""
    return " ".join(
        text
        for incident in report["incidents"]
        if incident["cause"] == cause
        for text in (*(item["text"] for item in incident["evidence"]), *incident["advice"])
    )


def balances(report: Report, sent: Sequence[int], received: Sequence[int]) -> None:
    """What the programs printed, and what the report has of it: the signal that ends one may come after a message has passed and before it is printed."""
    (row,) = report["ledger"]
    assert len(sent) <= row["sent"] <= len(sent) + 1
    assert len(received) <= row["delivered"] <= len(received) + 1
    loses(report, row["sent"] - row["delivered"])


def loses(report: Report, lost: int) -> None:
    (row,) = report["ledger"]
    assert row["sent"] - row["delivered"] == lost
    assert row["lost"] + row["unexplained"] == lost


def tells_of_losses(shown: str) -> list[str]:
    """The words of page or terminal that say that something was dropped."""
    return _LOSSES.findall(shown)


def dropped_before(received: list[int]) -> int:
    """How many messages did not come before one that did, and after the first one: none of them went with the end of a program."""
    return received[-1] - received[0] + 1 - len(received)
