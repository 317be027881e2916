"""What a report tells of each hop and cause, beside what is true of it."""

from collections import Counter
from typing import Any

Json = dict[str, Any]
Hop = tuple[str, str]
NOBODY = ""
"""Stands for the socket of a peer that was never there."""


class Comparison:
    """Losses by hop and by hop and cause, as told and as true; a hop is the pair of its nodes."""

    def __init__(self, report: Json, truth: Json) -> None:
        self.names: dict[str, str] = {}
        self.nodes: dict[str, str] = {}
        for hop in truth["hops"]:
            for end in (hop["from"], hop["to"]):
                self._learn(end["sockets"], end["name"])
        self.true_hops: Counter[Hop] = Counter()
        self.unseen: Counter[Hop] = Counter()
        """Of these losses, those that nothing shows yet: they may be told, and need not be."""
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

    def hop_of(self, sender: str | None, receiver: str | None) -> Hop:
        """The nodes of two sockets."""
        return self._node(sender), self._node(receiver)

    def _learn(self, sockets: list[str], name: str | None) -> None:
        node = min(sockets)
        self.names[node] = name or "nobody"
        self.nodes |= dict.fromkeys(sockets, node)

    def _true(self, hop: Json) -> None:
        key = self._key(hop)
        if hop["knowable"]:
            self.true_hops[key] += hop["lost"]
            self.unseen[key] += hop["unseen"]
        else:
            self.unknowable_hops.add(key)
            if hop.get("uncounted"):
                self.uncounted_hops[key] += hop["lost"] + hop["under_way"]
                self.unknowable_causes.add((key, hop["left_by"]))
            for ends in {(self._node(one), self._node(other)) for one, other in hop["between"]}:
                self.unknowable_hops.add(ends)
                for each in hop["causes"]:
                    self.unknowable_causes |= {(ends, cause) for cause in _likenesses(each)}
        for each in hop["causes"]:
            self.all_causes[key, each["cause"]] += each["lost"]
            if each["knowable"]:
                self.true_causes[key, each["cause"]] += each["lost"]
                self.unknowable_causes |= {(key, cause) for cause in each.get("looks_like", ())}
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
