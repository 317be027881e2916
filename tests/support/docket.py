"""Many systems, one analysis of what all of them landed, and what its report says of each alone."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expected import Expected
from judgement import assert_balanced
from report_shape import fractions, misshapen, nonsense
from sound_advice import unsound

Report = dict[str, Any]
Check = Callable[[Report], None]

ALL_NAMED = ("hops", "ledger", "incidents", "not_checked", "clocks")
"""Lists of a report of which each row tells of a host or a socket by its name."""


@dataclass(frozen=True)
class Case:
    """What a system landed, how to find it in a report, and what its part of the report must be.

    ``mark`` is part of the names of all its hosts and sockets. A system without a mark is found by ``everybody``:
    the ids of its sockets and processes, and its hosts.
    """

    mark: str | None
    folders: tuple[Path, ...]
    check: Check | None = None
    expected: Expected | None = None
    everybody: frozenset[str] = frozenset()

    def is_in(self, row: str) -> bool:
        """Tell whether a row of a report, as text, is about this system."""
        if self.mark is not None:
            return self.mark in row
        return any(f'"{each}"' in row for each in self.everybody)

    def hold(self, report: Report) -> Report:
        """Return the part of the report on this case, which passes."""
        assert self.mark is not None
        own = part_of(report, self.mark)
        assert_balanced(own)
        assert all(incident["evidence"] and incident["advice"] for incident in own["incidents"])
        wrong = [text for incident in own["incidents"] for text in unsound(incident)]
        assert not wrong, f"unsound advice: {wrong}"
        if self.expected is not None:
            self.expected.hold(own)
        if self.check is not None:
            self.check(own)
        return own


def mark_of(test: str) -> str:
    """Return the mark of the system of a test: short, stable, and within no other one."""
    return f"s{hashlib.sha256(test.encode()).hexdigest()[:7]}."


def part_of(report: Report, mark: str) -> Report:
    """What it tells of those whose names begin with the mark, in their plain names."""
    own = {name: [row for row in report[name] if mark in _text(row)] for name in ALL_NAMED}
    sockets = {hop[end]["socket"] for hop in own["hops"] for end in ("from", "to")}
    findings = [row for row in report["findings"] if row["socket"] in sockets]
    plain: Report = json.loads(_text({**own, "findings": findings}).replace(mark, ""))
    return plain


def faults_of_whole(report: Report, cases: Sequence[Case]) -> list[str]:
    """Return the faults of a report on all cases: unread input, rows that belong to no case, a wrong shape.

    Only cases without a mark may report faults and lost events.
    """
    unmarked = [case for case in cases if case.mark is None]
    unread = [_text(row) for name in ("contradictions", "skipped_files") for row in report[name]]
    told = [_text(row) for name in ("faults", "events_lost") for row in report[name]]
    strange = [text for text in told if not any(case.is_in(text) for case in unmarked)]
    return (
        unread + strange + misshapen(report) + fractions(report) + nonsense(report) + of_nobody(report, cases)
    )


def of_nobody(report: Report, cases: Sequence[Case]) -> list[str]:
    """Return the rows that belong to no case."""
    told = [_text(row) for name in ALL_NAMED for row in report[name]]
    return [text for text in told if not any(case.is_in(text) for case in cases)]


def _text(told: Any) -> str:
    return json.dumps(told, ensure_ascii=False)
