"""What a report is expected to say of one system, as plain data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgement import assert_advised, assert_everybody_known, assert_exact, certainties, reported_findings

Report = dict[str, Any]
Pair = tuple[str, str]
"""A hop and a cause."""

NOT_CHECKED = ("reason", "name", "receiver_name", "sent", "received", "missing_at_most")


@dataclass(frozen=True)
class Expected:
    """The findings of ``judgement.true_findings``, and more.

    ``exact``: hops and causes that must be certain. ``advice``: a text that the advice on a cause must contain.
    ``not_checked`` and ``rules`` are only known where a checked report is the source; then all rows of the one and at least
    the others must be reported. Elsewhere every sender must be known.
    """

    findings: Mapping[str, Any]
    exact: Sequence[Pair] = ()
    advice: Mapping[str, str] = field(default_factory=dict)
    not_checked: Sequence[Mapping[str, Any]] | None = None
    rules: Sequence[str] = ()

    def hold(self, report: Report) -> None:
        """Raise AssertionError unless the report of the system says all of this."""
        reported = reported_findings(report)
        assert reported == self.findings, f"reported {reported}, true {self.findings}"
        assert_exact(report, self.exact)
        assert_advised(report, self.advice)
        if self.not_checked is None:
            assert_everybody_known(report)
        else:
            assert not_checked(report) == list(self.not_checked)
        assert set(self.rules) <= set(rules(report))


def as_reported(report: Report) -> Expected:
    """Return what a checked report of a system says: another report must say the same."""
    exact, inferred = (certainties(report)[certainty] for certainty in ("exact", "inferred"))
    return Expected(
        findings=reported_findings(report),
        exact=sorted(exact - inferred),
        not_checked=not_checked(report),
        rules=rules(report),
    )


def not_checked(report: Report) -> list[dict[str, Any]]:
    """Return the figures of what could not be checked, in a stable order."""
    rows = [{name: row[name] for name in NOT_CHECKED} for row in report["not_checked"]]
    return sorted(rows, key=str)


def rules(report: Report) -> list[str]:
    """Return the rules of the reported findings."""
    return sorted({finding["rule"] for finding in report["findings"]})
