"""What output calls sockets and proxies: their names, and more where a name alone does not tell which one is meant."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

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

    @property
    def named(self) -> bool:
        """Whether its user gave it its name; else the name is its type and the beginning of its id."""
        return not self.name.endswith(self.node[:6])


def labels(identities: Iterable[Identity]) -> Mapping[str, str]:
    """A label for each id. No two are the same."""
    namesakes: dict[str, list[Identity]] = defaultdict(list)
    for identity in identities:
        namesakes[identity.name].append(identity)
    found: dict[str, str] = {}
    for group in namesakes.values():
        told = {identity.node: _label(identity, group) for identity in group}
        count = Counter(told.values())
        found |= {
            node: label if count[label] == 1 else f"{label} [{node[:6]}]" for node, label in told.items()
        }
    return found


def _label(identity: Identity, group: Sequence[Identity]) -> str:
    if not identity.named:
        facts = [_pid(identity), _short(identity.command)]
    elif len(group) > 1:
        facts = [
            identity.type if _differ([one.type for one in group]) else None,
            f"on {identity.host}" if _differ([one.host for one in group]) else None,
            _pid(identity) if _differ([one.pid for one in group]) else None,
            _opened(identity.opened_at, group),
        ]
    else:
        facts = []
    known = ", ".join(fact for fact in facts if fact)
    return f"{identity.name} ({known})" if known else identity.name


def _differ(values: Sequence[object]) -> bool:
    return len(set(values)) > 1


def _pid(identity: Identity) -> str | None:
    return None if identity.pid is None else f"pid {identity.pid}"


def _opened(opened_at: datetime | None, group: Sequence[Identity]) -> str | None:
    """The time of day, with the date where the others opened on another one."""
    if opened_at is None:
        return None
    days = [one.opened_at.date() for one in group if one.opened_at]
    return f"opened {opened_at:%Y-%m-%d %H:%M:%S}" if _differ(days) else f"opened {opened_at:%H:%M:%S}"


def _short(command: str | None) -> str | None:
    """Programs without their folders, and no more words than tell which one it is."""
    if not command:
        return None
    words = [PurePath(word).name or word for word in command.split()[:2]] + command.split()[2:]
    text = " ".join(words)
    return text if len(text) <= LONGEST_COMMAND else text[: LONGEST_COMMAND - 1] + "…"
