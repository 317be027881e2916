"""Systems that were played one after the other, and one analysis of what all of them landed: each is told what the report says of it alone."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgement import Told, assert_balanced, assert_everybody_known, assert_exact, reported_findings
from sound_advice import unsound

Report = dict[str, Any]
Check = Callable[[Report], None]

ALL_NAMED = ("hops", "ledger", "incidents", "not_checked", "clocks")
"""Lists of a report of which each row tells of a host or a socket by its name."""


@dataclass(frozen=True)
class Case:
    """What a system landed, the mark that the names of its hosts and sockets begin with, and what is to be told of it."""

    mark: str
    folders: tuple[Path, ...]
    check: Check

    def hold(self, report: Report) -> None:
        """What the report tells of this case passes."""
        own = part_of(report, self.mark)
        assert_balanced(own)
        assert all(incident["evidence"] and incident["advice"] for incident in own["incidents"])
        wrong = [told for incident in own["incidents"] for told in unsound(incident)]
        assert not wrong, f"unsound advice: {wrong}"
        self.check(own)


def holds(true_findings: dict[str, Any], also: Check | None, exact: Told = ()) -> Check:
    """A report that tells the truth, all of it, with ``exact`` for what numbers prove, and passes a further check."""

    def check(report: Report) -> None:
        assert_everybody_known(report)
        told = reported_findings(report)
        assert told == true_findings, f"told {told}, true {true_findings}"
        assert_exact(report, exact)
        if also is not None:
            also(report)

    return check


def marks() -> Iterator[str]:
    """One for each system, none of them within another."""
    number = 0
    while True:
        yield f"case{number}."
        number += 1


def part_of(report: Report, mark: str) -> Report:
    """What it tells of those whose names begin with the mark, in their plain names."""
    own = {name: [row for row in report[name] if mark in _text(row)] for name in ALL_NAMED}
    sockets = {hop[end]["socket"] for hop in own["hops"] for end in ("from", "to")}
    findings = [row for row in report["findings"] if row["socket"] in sockets]
    plain: Report = json.loads(_text({**own, "findings": findings}).replace(mark, ""))
    return plain


def of_nobody(report: Report, cases: list[Case]) -> list[str]:
    """Rows that no case is told of."""
    told = [_text(row) for name in ALL_NAMED for row in report[name]]
    return [text for text in told if not any(case.mark in text for case in cases)]


def _text(told: Any) -> str:
    return json.dumps(told, ensure_ascii=False)
