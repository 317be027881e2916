"""A report held against the truth: which hops and causes it found, whether its counts are exact, and its books true."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from hopwatch_simulate.bookkeeping import (
    in_words,
    is_bounded,
    missing,
    same_books,
    same_sums,
    too_little,
    too_much_of_nobody,
)
from hopwatch_simulate.comparison import Comparison, Hop
from hopwatch_simulate.exact_ranges import not_lost_so
from hopwatch_simulate.left_out import LeftOut

Json = dict[str, Any]
HopAndCause = tuple[Hop, str]
REFUSED = re.compile(r"had (\d+) sends refused")


@dataclass
class Tally:
    """How many were found, were made up, and were missed."""

    found: int = 0
    made_up: int = 0
    missed: int = 0

    def add(self, told: set[Any], true: set[Any], allowed: set[Any]) -> None:
        """Count what was told: of what is true as found, of what is true and cannot be known (``allowed``) not at all."""
        self.found += len(told & true)
        self.made_up += len(told - true - allowed)
        self.missed += len(true - told)

    @property
    def precision(self) -> float:
        return self.found / (self.found + self.made_up) if self.found + self.made_up else 1.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0


@dataclass
class Score:
    """Of one report or many: hops, hops with causes, and every disagreement in words."""

    hops: Tally = field(default_factory=Tally)
    causes: Tally = field(default_factory=Tally)
    by_cause: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    all_causes: Tally = field(default_factory=Tally)
    """Those that the truth calls unknowable, too."""
    memory: Tally = field(default_factory=Tally)
    """Kills for memory that evidence tells of."""
    refused: Tally = field(default_factory=Tally)
    """Sockets with sends that were refused, and how many, as findings tell."""
    counts: int = 0
    wrong_counts: int = 0
    counts_in_bounds: int = 0
    """Hops of whose losses some need not be told, so that more counts than one are right; likewise of causes."""
    cause_counts: int = 0
    cause_counts_in_bounds: int = 0
    wrong_cause_counts: int = 0
    books: int = 0
    wrong_books: int = 0
    books_in_sum: int = 0
    """Rows of shared-out streams that are not true each, but in their sum with what is told of no receiver in particular."""
    exact: int = 0
    exact_by_cause: Counter[str] = field(default_factory=Counter)
    wrong_exact: int = 0
    exact_ranges: int = 0
    wrong_exact_ranges: int = 0
    bounded_books: int = 0
    """Rows of the ledger that are only untraceable, and were told: they may not have less missing than was lost."""
    wrong_bounds: int = 0
    unknowable: Counter[str] = field(default_factory=Counter)
    """Causes that cannot be known, by what was told of their messages: "so", "another cause" on that hop, or "no cause" there."""
    left_out: LeftOut = field(default_factory=LeftOut)
    disagreements: list[str] = field(default_factory=list)

    def add(self, report: Json, truth: Json, losses: Iterable[Json] = ()) -> list[str]:
        """Hold one report, and its table of losses, against its truth; gives the disagreements it adds."""
        before = len(self.disagreements)
        comparison = Comparison(report, truth)
        self._hops(comparison)
        self._causes(comparison)
        self._memory(comparison)
        self._refused(report["findings"], truth["refused"])
        self._exact(comparison)
        self._exact_ranges(losses, truth, comparison)
        self._books(report, truth)
        self.left_out.add(truth)
        return self.disagreements[before:]

    def _hops(self, compared: Comparison) -> None:
        told = {hop for hop, lost in compared.told_hops.items() if lost}
        self.hops.add(told, set(compared.true_hops), compared.unknowable_hops)
        for hop, most in compared.uncounted_hops.items():
            if compared.told_hops[hop] > most:
                self.hops.made_up += 1
                self.disagreements.append(
                    f"hop made up: {compared.called(hop)} lost {compared.told_hops[hop]}, at most {most}"
                )
        for hop in sorted(told - set(compared.true_hops) - compared.unknowable_hops):
            self.disagreements.append(f"hop made up: {compared.called(hop)} lost {compared.told_hops[hop]}")
        for hop, lost in compared.true_hops.items():
            self.counts += 1
            self.counts_in_bounds += compared.unseen[hop] > 0
            told_lost = compared.told_hops.get(hop, 0)
            if not lost - compared.unseen[hop] <= told_lost <= lost:
                self.wrong_counts += 1
                word = "hop missed" if not told_lost else "count"
                self.disagreements.append(f"{word}: {compared.called(hop)} lost {lost}, told {told_lost}")

    def _causes(self, compared: Comparison) -> None:
        told, true = set(compared.told_causes), set(compared.true_causes)
        self.causes.add(told, true, compared.unknowable_causes)
        for cause in sorted({cause for _, cause in told | true}):
            told_so, true_so = ({pair for pair in pairs if pair[1] == cause} for pairs in (told, true))
            self.by_cause[cause].add(told_so, true_so, compared.unknowable_causes)
        self.all_causes.add(told, set(compared.all_causes), set())
        self._unknowable(told, compared)
        for hop, cause in sorted(told - true - compared.unknowable_causes):
            self.disagreements.append(
                f"cause made up: {compared.called(hop)} {cause} {compared.told_causes[hop, cause]}"
            )
        for hop, cause in sorted(true):
            self.cause_counts += 1
            lost, told_lost = compared.true_causes[hop, cause], compared.told_causes[hop, cause]
            least, most = compared.bounds[hop, cause]
            self.cause_counts_in_bounds += least < most
            if not least <= told_lost <= most:
                self.wrong_cause_counts += 1
                word = "cause's count" if told_lost else "cause missed"
                self.disagreements.append(f"{word}: {compared.called(hop)} {cause} {lost}, told {told_lost}")

    def _unknowable(self, told: set[HopAndCause], compared: Comparison) -> None:
        for hop, cause in compared.all_causes.keys() - compared.true_causes.keys():
            others = {of_hop for of_hop, other in told if (of_hop, other) not in compared.all_causes}
            how = "so" if (hop, cause) in told else "another cause" if hop in others else "no cause"
            self.unknowable[how] += 1

    def _memory(self, compared: Comparison) -> None:
        self.memory.add(compared.told_kills, compared.true_kills, compared.unknowable_causes)
        for hop, cause in sorted(compared.told_kills ^ compared.true_kills):
            word = "made up" if (hop, cause) in compared.told_kills else "missed"
            self.disagreements.append(f"kill for memory {word}: {compared.called(hop)} {cause}")

    def _refused(self, findings: list[Json], refused: list[Json]) -> None:
        told = {
            (finding["socket"], int(found[1]))
            for finding in findings
            if finding["rule"] == "refused" and (found := REFUSED.search(finding["text"]))
        }
        true = {(row["socket"], row["messages"]) for row in refused if row["knowable"]}
        self.refused.add(told, true, set())
        for socket, messages in sorted(told ^ true):
            word = "made up" if (socket, messages) in told else "missed"
            self.disagreements.append(f"refused sends {word}: {socket} {messages}")

    def _exact(self, compared: Comparison) -> None:
        for (hop, cause), told in compared.told_exactly.items():
            self.exact += 1
            self.exact_by_cause[cause] += 1
            true = compared.all_causes.get((hop, cause), 0)
            if told > true:
                self.wrong_exact += 1
                self.disagreements.append(
                    f"wrong exact: {compared.called(hop)} {cause} {true}, told exactly {told}"
                )

    def _exact_ranges(self, losses: Iterable[Json], truth: Json, compared: Comparison) -> None:
        for told, wrong in not_lost_so(losses, truth):
            self.exact_ranges += 1
            if wrong:
                self.wrong_exact_ranges += 1
                hop = compared.called(compared.hop_of(told["from_socket"], told["to_socket"]))
                what = f"{told['cause']} {told['mark']} of lane {told['lane']} of {told['stream']}"
                self.disagreements.append(f"wrong exact: {hop} {what}: {wrong} of these were not")

    def _books(self, report: Json, truth: Json) -> None:
        told = {(row["stream"], row["receiver"]): row for row in report["ledger"]}
        self._made_up(told, truth)
        untold_receiver = {stream for stream, receiver in told if receiver is None}
        for stream, rows in groupby(truth["ledger"], key=lambda row: str(row["stream"])):
            of_stream = list(rows)
            known = [row for row in of_stream if row["knowable"]]
            self._bounds(told, [row for row in of_stream if not row["knowable"]])
            self.books += len(known)
            wrong = [row for row in known if not same_books(told.get((stream, row["receiver"])), row)]
            if wrong and stream in untold_receiver and same_sums(stream, report["ledger"], known):
                self.books_in_sum += len(wrong)
                continue
            for row in wrong:
                self.wrong_books += 1
                found = told.get((stream, row["receiver"]))
                self.disagreements.append(f"books: {in_words(row)}; told {in_words(found)}")

    def _bounds(self, told: dict[tuple[str, str | None], Json], unknowable: list[Json]) -> None:
        for row in unknowable:
            found = told.get((row["stream"], row["receiver"]))
            self.bounded_books += found is not None and is_bounded(row)
            if too_little(found, row):
                self.wrong_bounds += 1
                why = ", ".join(row["unknowable_by"])
                self.disagreements.append(f"books short ({why}): {in_words(row)}; told {in_words(found)}")

    def _made_up(self, told: dict[tuple[str, str | None], Json], truth: Json) -> None:
        """What is missing between two that lost nothing or had nothing to do with each other, or of no receiver in particular."""
        true = {(row["stream"], row["receiver"]) for row in truth["ledger"]}
        streams = {stream for stream, _ in true}
        for (stream, receiver), row in told.items():
            if stream in streams and receiver is not None and missing(row) and (stream, receiver) not in true:
                self.books += 1
                self.wrong_books += 1
                self.disagreements.append(f"books made up: {in_words(row)}")
        for true_rows, told_rows in too_much_of_nobody(told, truth["ledger"]):
            self.books += 1
            self.wrong_books += 1
            in_truth, in_books = ("; ".join(map(in_words, rows)) for rows in (true_rows, told_rows))
            self.disagreements.append(f"books made up: {in_books}; true is {in_truth}")
