"""What output calls sockets and proxies: their names, and more where a name alone does not tell which one is meant."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from hopwatch_judge import Place

LONGEST_COMMAND = 40


@dataclass(frozen=True)
class Identity:
    """A socket or a proxy, and where it came from."""

    node: str
    name: str
    type: str | None
    host: str | None
    pid: int | None
    command: str | None
    opened_at: datetime | None
    endpoint: str | None = None
    """The first one that it was bound or connected to."""
    number: int | None = None
    """Of the sockets that its process opened with this name and type, from 1."""
    proxy: str | None = None
    """The proxy that it is a side of."""
    place: Place | None = None

    @property
    def named(self) -> bool:
        """Whether its user gave it its name; else the name is its type and the beginning of its id."""
        return not self.name.endswith(self.node[:6])


def labels(identities: Iterable[Identity]) -> Mapping[str, str]:
    """A label for each id. No two are the same."""
    everyone = {identity.node: identity for identity in identities}
    namesakes: dict[str, list[Identity]] = defaultdict(list)
    for identity in everyone.values():
        if identity.proxy not in everyone:
            namesakes[identity.name].append(identity)
    told = {one.node: _label(one, group) for group in namesakes.values() for one in group}
    told |= {
        node: _side(identity, told[identity.proxy])
        for node, identity in everyone.items()
        if identity.proxy in told
    }
    count = Counter(told.values())
    return {node: label if count[label] == 1 else f"{label} [{node[:6]}]" for node, label in told.items()}


def brief(label: str, node: str | None) -> str:
    """The label without pid and command, of a socket that nobody named: the beginning of its id is in its name."""
    name = label.partition(" (")[0]
    return name if node and name.endswith(node[:6]) else label


def places(identities: Iterable[Identity]) -> Mapping[str, Place]:
    """Where each id's process runs, of those of which it is known."""
    return {one.node: one.place for one in identities if one.place is not None}


def _label(identity: Identity, group: Sequence[Identity]) -> str:
    if not identity.named:
        facts = [_pid(identity), _short(identity.command)]
    elif len(group) > 1:
        facts = _what_tells_apart(identity, group)
    else:
        facts = []
    known = ", ".join(fact for fact in facts if fact)
    return f"{identity.name} ({known})" if known else identity.name


def _what_tells_apart(identity: Identity, group: Sequence[Identity]) -> list[str | None]:
    """No more than is needed: where it runs, and, within one process, where it is connected, or when it was opened."""
    facts: list[str | None] = []
    if _differ([one.type for one in group]):
        facts.append(identity.type)
        group = [one for one in group if one.type == identity.type]
    if _differ([one.host for one in group]):
        facts.append(f"on {identity.host}")
        group = [one for one in group if one.host == identity.host]
    if _differ([one.pid for one in group]):
        facts += [_pid(identity), _opened(identity.opened_at, group)]
        group = [one for one in group if one.pid == identity.pid]
    if len(group) > 1:
        facts.append(_within_process(identity, group))
    return facts


def _within_process(identity: Identity, group: Sequence[Identity]) -> str | None:
    endpoints = [one.endpoint for one in group]
    times = [_opened(one.opened_at, group) for one in group]
    for own, texts in ((identity.endpoint, endpoints), (_opened(identity.opened_at, group), times)):
        if None not in texts and len(set(texts)) == len(group):
            return own
    return None if identity.number is None else f"no. {identity.number}"


def _side(identity: Identity, proxy: str) -> str:
    if identity.named:
        return f"{identity.name} ({identity.type} of {proxy})"
    return f"{proxy}'s {identity.type}"


def _differ(values: Sequence[object]) -> bool:
    return len(set(values)) > 1


def _pid(identity: Identity) -> str | None:
    return None if identity.pid is None else f"pid {identity.pid}"


def _opened(opened_at: datetime | None, group: Sequence[Identity]) -> str | None:
    """The time of day where it differs, with the date where the others opened on another one."""
    if opened_at is None or not _differ([_second(one.opened_at) for one in group]):
        return None
    days = [one.opened_at.date() for one in group if one.opened_at]
    return f"opened {opened_at:%Y-%m-%d %H:%M:%S}" if _differ(days) else f"opened {opened_at:%H:%M:%S}"


def _second(moment: datetime | None) -> datetime | None:
    return moment and moment.replace(microsecond=0)


def _short(command: str | None) -> str | None:
    """Programs without their folders, and no more words than tell which one it is."""
    if not command:
        return None
    words = [PurePath(word).name or word for word in command.split()[:2]] + command.split()[2:]
    text = " ".join(words)
    return text if len(text) <= LONGEST_COMMAND else text[: LONGEST_COMMAND - 1] + "…"
