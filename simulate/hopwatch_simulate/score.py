"""A report held against the truth: which hops and causes it found, whether its counts are exact, and its books true."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

Json = dict[str, Any]
Hop = tuple[str, str]
NOBODY = ""
"""Stands for the socket of a peer that was never there."""


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
    memory: Tally = field(default_factory=Tally)
    """Kills for memory that evidence tells of."""
    counts: int = 0
    wrong_counts: int = 0
    cause_counts: int = 0
    wrong_cause_counts: int = 0
    books: int = 0
    wrong_books: int = 0
    exact: int = 0
    wrong_exact: int = 0
    disagreements: list[str] = field(default_factory=list)

    def add(self, report: Json, truth: Json) -> list[str]:
        """Hold one report against its truth; gives the disagreements it adds."""
        before = len(self.disagreements)
        comparison = _Comparison(report, truth)
        self._hops(comparison)
        self._causes(comparison)
        self._memory(comparison)
        self._exact(comparison)
        self._books(report, truth)
        return self.disagreements[before:]

    def _hops(self, compared: "_Comparison") -> None:
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
            told_lost = compared.told_hops.get(hop, 0)
            if told_lost != lost:
                self.wrong_counts += 1
                word = "hop missed" if not told_lost else "count"
                self.disagreements.append(f"{word}: {compared.called(hop)} lost {lost}, told {told_lost}")

    def _causes(self, compared: "_Comparison") -> None:
        told, true = set(compared.told_causes), set(compared.true_causes)
        self.causes.add(told, true, compared.unknowable_causes)
        for hop, cause in sorted(told - true - compared.unknowable_causes):
            self.disagreements.append(
                f"cause made up: {compared.called(hop)} {cause} {compared.told_causes[hop, cause]}"
            )
        for hop, cause in sorted(true):
            self.cause_counts += 1
            lost, told_lost = compared.true_causes[hop, cause], compared.told_causes[hop, cause]
            least, most = compared.bounds[hop, cause]
            if not least <= told_lost <= most:
                self.wrong_cause_counts += 1
                word = "cause's count" if told_lost else "cause missed"
                self.disagreements.append(f"{word}: {compared.called(hop)} {cause} {lost}, told {told_lost}")

    def _memory(self, compared: "_Comparison") -> None:
        self.memory.add(compared.told_kills, compared.true_kills, compared.unknowable_causes)
        for hop, cause in sorted(compared.told_kills ^ compared.true_kills):
            word = "made up" if (hop, cause) in compared.told_kills else "missed"
            self.disagreements.append(f"kill for memory {word}: {compared.called(hop)} {cause}")

    def _exact(self, compared: "_Comparison") -> None:
        for (hop, cause), told in compared.told_exactly.items():
            self.exact += 1
            true = compared.all_causes.get((hop, cause), 0)
            if told > true:
                self.wrong_exact += 1
                self.disagreements.append(
                    f"wrong exact: {compared.called(hop)} {cause} {true}, told exactly {told}"
                )

    def _books(self, report: Json, truth: Json) -> None:
        told = {(row["stream"], row["receiver"]): row for row in report["ledger"]}
        self._made_up(told, truth)
        untold_receiver = {stream for stream, receiver in told if receiver is None}
        for stream, rows in groupby(truth["ledger"], key=lambda row: str(row["stream"])):
            known = [row for row in rows if row["knowable"]]
            self.books += len(known)
            wrong = [row for row in known if not _same_books(told.get((stream, row["receiver"])), row)]
            if wrong and stream in untold_receiver and _same_sums(stream, report["ledger"], known):
                continue
            for row in wrong:
                self.wrong_books += 1
                found = told.get((stream, row["receiver"]))
                self.disagreements.append(f"books: {_in_words(row)}; told {_in_words(found)}")

    def _made_up(self, told: dict[tuple[str, str | None], Json], truth: Json) -> None:
        """Losses of a stream and a receiver between which nothing was lost, or that had nothing to do with each other."""
        true = {(row["stream"], row["receiver"]) for row in truth["ledger"]}
        streams = {stream for stream, _ in true}
        for (stream, receiver), row in told.items():
            if stream in streams and receiver is not None and row["lost"] and (stream, receiver) not in true:
                self.books += 1
                self.wrong_books += 1
                self.disagreements.append(f"books made up: {_in_words(row)}")


class _Comparison:
    """Losses by hop and by hop and cause, as told and as true; a hop is the pair of its nodes."""

    def __init__(self, report: Json, truth: Json) -> None:
        self.names: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        for hop in truth["hops"]:
            for end in (hop["from"], hop["to"]):
                self._learn(end["sockets"], end["name"])
        self.true_hops: Counter[Hop] = Counter()
        self.unknowable_hops: set[Hop] = set()
        self.uncounted_hops: Counter[Hop] = Counter()
        """Losses of which no event tells how many: no more may be told."""
        self.true_causes: Counter[tuple[Hop, str]] = Counter()
        self.bounds: dict[tuple[Hop, str], tuple[int, int]] = {}
        """How many messages at least and at most a cause may be said to have cost."""
        self.all_causes: Counter[tuple[Hop, str]] = Counter()
        self.unknowable_causes: set[tuple[Hop, str]] = set()
        for hop in truth["hops"]:
            self._true(hop)
        self.true_kills = self._kills(truth)
        self.told_kills: set[tuple[Hop, str]] = set()
        self.told_hops: Counter[Hop] = Counter()
        self.told_causes: Counter[tuple[Hop, str]] = Counter()
        self.told_exactly: Counter[tuple[Hop, str]] = Counter()
        self._told(report)

    def called(self, hop: Hop) -> str:
        """The names of a hop's ends."""
        return " → ".join(self.names.get(node, node) for node in hop)

    def _learn(self, sockets: list[str], name: str | None) -> None:
        node = min(sockets)
        self.names[node] = name or "nobody"
        self.nodes |= dict.fromkeys(sockets, node)

    def _true(self, hop: Json) -> None:
        key = self._key(hop)
        if hop["knowable"]:
            self.true_hops[key] += hop["lost"]
        else:
            self.unknowable_hops.add(key)
            if hop.get("uncounted"):
                self.uncounted_hops[key] += hop["lost"]
            for ends in {(self._node(one), self._node(other)) for one, other in hop["between"]}:
                self.unknowable_hops.add(ends)
                for each in hop["causes"]:
                    self.unknowable_causes |= {(ends, cause) for cause in _likenesses(each)}
        for each in hop["causes"]:
            self.all_causes[key, each["cause"]] += each["lost"]
            if each["knowable"]:
                self.true_causes[key, each["cause"]] += each["lost"]
                least, most = self.bounds.get((key, each["cause"]), (0, 0))
                lost = each["lost"]
                self.bounds[key, each["cause"]] = (
                    least + each.get("at_least", lost),
                    most + each.get("at_most", lost),
                )
            else:
                self.unknowable_causes |= {(key, cause) for cause in _likenesses(each)}

    def _kills(self, truth: Json) -> set[tuple[Hop, str]]:
        return {
            (self._key(hop), each["cause"])
            for hop in truth["hops"]
            for each in hop["causes"]
            if each.get("for_memory") and each["knowable"]
        }

    def _key(self, hop: Json) -> Hop:
        return self._node(hop["from"]["sockets"][0]), self._node(hop["to"]["sockets"][0])

    def _told(self, report: Json) -> None:
        labelled: dict[str, Hop] = {}
        for hop in report["hops"]:
            key = (self._node(hop["from"]["socket"]), self._node(hop["to"]["socket"]))
            for node, end in zip(key, ("from", "to"), strict=True):
                self.names.setdefault(node, str(hop[end]["name"]))
            labelled[hop["hop"]] = key
            self.told_hops[key] += hop["lost"]
        for incident in report["incidents"]:
            if incident["cause"] == "refused":  # never accepted, so no loss of any hop
                continue
            key = labelled.get(incident["hop"], (incident["hop"], ""))
            self.told_causes[key, incident["cause"]] += incident["lost"]
            if any(item["kind"] == "oom" for item in incident.get("evidence", ())):
                self.told_kills.add((key, incident["cause"]))
            if incident["certainty"] == "exact":
                self.told_exactly[key, incident["cause"]] += incident["lost"]

    def _node(self, socket: str | None) -> str:
        return self.nodes.get(socket or NOBODY, socket or NOBODY)


def _likenesses(each: Json) -> set[str]:
    """A cause that cannot be known, and those it cannot be told from."""
    return {each["cause"], *each.get("looks_like", ())}


def _same_books(told: Json | None, true: Json) -> bool:
    """Whether what is missing adds up; and of ends that were closed, what was delivered (of others the last second is not told)."""
    if told is None:
        return bool(true["sent"] == 0)
    missing = told["lost"] + told["unexplained"]
    settled = told["delivered"] == true["delivered"] and told["in_flight"] == true["in_flight"]
    return bool(missing == true["lost"] and (settled or true["open"]))


def _same_sums(stream: str, told: list[Json], true: list[Json]) -> bool:
    """Whether the books of a shared-out stream are true as a whole, where it is not told which receiver lost what."""
    rows = [row for row in told if row["stream"] == stream]
    missing = sum(row["lost"] + row["unexplained"] for row in rows)
    delivered = sum(row["delivered"] for row in rows)
    return bool(
        missing == sum(row["lost"] for row in true) and delivered == sum(row["delivered"] for row in true)
    )


def _in_words(row: Json | None) -> str:
    if row is None:
        return "nothing"
    figures = (
        f"{name} {row[name]}"
        for name in ("sent", "delivered", "lost", "in_flight", "unexplained")
        if row.get(name)
    )
    return f"{row['name']} → {row['receiver_name']}: {', '.join(figures)}"
