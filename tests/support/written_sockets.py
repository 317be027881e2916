"""Sockets, who is connected to whom, proxies and losses, as one process's journal tells of them."""

from dataclasses import dataclass, field
from pathlib import Path

from journal_writer import COUNTER_NAMES, JournalWriter

HOST = "127.0.0.1"


@dataclass
class WrittenSockets:
    """Sockets are called by their names; of those of one name only the newest is meant."""

    directory: Path
    ids: dict[str, str] = field(default_factory=dict)
    _slots: dict[str, int] = field(default_factory=dict)
    _counters: dict[str, dict[str, int]] = field(default_factory=dict)
    _links: dict[str, int] = field(default_factory=dict)
    _opened: int = 0

    def __post_init__(self) -> None:
        self.writer = JournalWriter(self.directory)

    def open(self, name: str, kind: str) -> str:
        """Gives its id."""
        slot = self._opened
        self._opened += 1
        identity = f"{slot + 0xA1:016x}"
        self.writer.opened(identity, slot=slot, name=name, kind=kind)
        self.ids[name], self._slots[name] = identity, slot
        self._counters[name] = {}
        return identity

    def connect(self, calling: str, called: str) -> tuple[str, str]:
        """They are connected. Gives the addresses of both."""
        number = sum(self._links.values())
        addresses = f"{HOST}:{40001 + number}", f"{HOST}:{5001 + self._slots[called]}"
        for name, (local, remote) in ((calling, addresses), (called, addresses[::-1])):
            self._links[name] = self._links.get(name, 0) + 1
            self._connection("connected", name, self._links[name], local, remote, accepted=name == called)
        return addresses

    def lose_connection(self, name: str, local: str, remote: str, *, accepted: bool = False) -> None:
        """The newest of the socket's connections is gone."""
        self._connection("disconnected", name, self._links[name], local, remote, accepted=accepted)

    def _connection(
        self, event: str, name: str, number: int, local: str, remote: str, *, accepted: bool
    ) -> None:
        endpoint = f"tcp://{local if accepted else remote}"
        ends = {"local": local, "remote": remote, "accepted": accepted, "endpoint": endpoint}
        self.writer.event(event, socket=self.ids[name], connection=number, sent=0, received=0, **ends)

    def proxy(self, name: str, frontend: str, backend: str) -> None:
        """The two are a proxy's ends."""
        ends = {"frontend": self.ids[frontend], "backend": self.ids[backend]}
        types = {"frontend_type": "XSUB", "backend_type": "XPUB"}
        identity = f"{self._slots[frontend] + 0xF00:016x}"
        self.writer.event("proxy", proxy=identity, name=name, **ends, **types)

    def count(self, name: str, **more: int) -> None:
        """The socket has counted so many more."""
        counters = self._counters[name]
        for counter, number in more.items():
            counters[counter] = counters.get(counter, 0) + number
        self.writer.set_counters(self.ids[name], self._slots[name], **counters)

    def lack(self, receiver: str, sender: str, first: int, last: int) -> None:
        """The receiver did not get these numbers."""
        lost = last - first + 1
        around = {"before": first - 1, "after": last + 1, "received": 1}
        numbers = {"lane": 0, "first": first, "last": last, "lost": lost}
        self.writer.event("gap", socket=self.ids[receiver], stream=self.ids[sender], **numbers, **around)
        self.count(receiver, lost=lost, gaps=1)

    def meet_full_pipe(self, sender: str, number: int) -> None:
        """At its message of this number."""
        self.writer.event("onset", socket=self.ids[sender], number=number, lane=0, lane_number=number)
        self.count(sender, onsets=1)

    def close_socket(self, name: str, **counters: int) -> None:
        """It has ended with these counts; another one may be called so."""
        self.writer.event(
            "closed", socket=self.ids[name], counters=dict.fromkeys(COUNTER_NAMES, 0) | counters
        )

    def close(self) -> None:
        """The process is gone."""
        self.writer.close()
