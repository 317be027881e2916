"""Landed folders made by hand: what an agent would have written about a small system, row by row."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from hopwatch_agent.landing.schemas import COUNTERS, KINDS
from hopwatch_simulate.landed import place_of, write_rows

START = datetime(2100, 5, 4, 12, 0, tzinfo=timezone.utc)
"""Later than any recorded or live system, so that the joint report ends when the stories end."""
PAST = datetime(2026, 5, 4, 12, 0, tzinfo=timezone.utc)
"""For followers, which close no incident that is later than the real time."""
WAITED = 0.05  # seconds: long enough to show that a message was not read as soon as it had been sent


def at(seconds: float, start: datetime = START) -> datetime:
    """The time some seconds into the story."""
    return start + timedelta(seconds=seconds)


def id_of(name: str) -> str:
    """The id of the thing with this name."""
    return hashlib.sha256(name.encode()).hexdigest()[:16]


@dataclass
class LandedFolder:
    """Rows by kind; ``write`` lands them."""

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    homes: dict[str, tuple[str, str]] = field(default_factory=dict)
    start: datetime = START
    ports: int = 20_000
    connections: int = 0

    def add(self, kind: str, socket: str, seconds: float, **columns: Any) -> None:
        """Add one row about a socket, by name, or about its process, where rows of the kind are about processes."""
        process, host = self.homes[socket]
        about = {"socket": id_of(socket)} if "socket" in KINDS[kind] else {}
        self._add(kind, process, host, seconds, about | columns)

    def _add(self, kind: str, process: str, host: str, seconds: float, columns: dict[str, Any]) -> None:
        common = {"host": host, "process": id_of(process), "at": self._at(seconds)}
        self.rows[kind].append(common | columns)

    def process(
        self, name: str, state: str, seconds: float, host: str = "box", pid: int | None = None
    ) -> None:
        """A process was "started", "exited" or found "gone"."""
        self._add("process", name, host, seconds, {"state": state, "command": name, "pid": pid})

    def place(self, socket: str, **place: str) -> None:
        """Where the socket's process runs in Kubernetes."""
        self.add("place", socket, 0, **place)

    def socket(self, name: str, type_: str, *, host: str = "box", opened: float = 0, closed: float | None = None,
               probed: bool | None = None, unread: bool | None = False, sequence: str | None = "stamp",
               called: str | None = None, **options: int) -> None:  # fmt: skip
        """A socket (stamped, unless told otherwise) in a process of its own, opened and maybe closed: with nothing ``unread``, unless told
        otherwise (None: not known).

        ``called`` is the name that it was given, if not ``name``.
        """
        self._socket(name, type_, sequence, host, opened, closed, probed, unread, options, called)

    def bare_socket(
        self, name: str, type_: str, *, host: str = "box", closed: float | None = None, **options: int
    ) -> None:
        """The same without stamps."""
        self._socket(name, type_, None, host, 0, closed, None, False, options, None)

    def _socket(self, name: str, type_: str, sequence: str | None, host: str, opened: float, closed: float | None,
                probed: bool | None, unread: bool | None, options: dict[str, int], called: str | None) -> None:  # fmt: skip
        self.homes[name] = (f"process of {name}", host)
        probed = type_ in ("PUB", "XPUB", "ROUTER") if probed is None else probed
        about = {
            "name": called or name,
            "type": type_,
            "sequence": sequence,
            "probed": probed,
            "options": list(options.items()),
        }
        self.add("socket", name, opened, state="opened", n=1, **about)
        if closed is not None:
            self.add("socket", name, closed, state="closed", n=1000, unread=unread)

    def killed(self, name: str, seconds: float) -> None:
        """The socket's process was found gone."""
        process, host = self.homes[name]
        self.process(process, "gone", seconds, host)

    def proxy(self, name: str, frontend: str, backend: str) -> None:
        """Two sockets belong to one proxy."""
        names = {"proxy": id_of(name), "name": name, "frontend": id_of(frontend), "backend": id_of(backend)}
        self.add("proxy", frontend, 0, **names)

    def link(
        self, bound: str, connecting: str, up: float = 0.1, down: float | None = None, sent: int = 0
    ) -> None:
        """A TCP connection, as both ends saw it; ``sent`` is the bound end's count when it came up."""
        self.ports += 1
        self.connections += 1
        ends = {"local": f"127.0.0.1:{self.ports}", "remote": "127.0.0.1:5555"}
        mirrored = {"local": ends["remote"], "remote": ends["local"]}
        for action, seconds in (("connected", up), ("disconnected", down)):
            if seconds is not None:
                event = {
                    "action": action,
                    "connection": self.connections,
                    "endpoint": "tcp://127.0.0.1:5555",
                }
                self.add(
                    "connection", bound, seconds, accepted=True, sent=sent, received=0, **event, **mirrored
                )
                self.add(
                    "connection", connecting, seconds, accepted=False, sent=0, received=0, **event, **ends
                )

    def watched(self, socket: str) -> None:
        """The socket has a monitor."""
        self.add("connection", socket, 0, action="monitor_attached")

    def one_end(
        self, socket: str, seconds: float, local: str, remote: str, *, endpoint: str, accepted: bool
    ) -> None:
        """A connection as one of its ends sees it."""
        self.connections += 1
        about = {"local": local, "remote": remote, "endpoint": endpoint, "accepted": accepted}
        counts = {"connection": self.connections, "sent": 0, "received": 0}
        self.add("connection", socket, seconds, action="connected", **about, **counts)

    def subscribe(self, socket: str, *topics: str, seconds: float = 0) -> None:
        """Subscriptions; a topic is text."""
        for topic in topics:
            self.add("subscription", socket, seconds, action="subscribe", topic=topic.encode().hex())

    def unsubscribe(self, socket: str, topic: str, seconds: float) -> None:
        """The end of a subscription."""
        self.add("subscription", socket, seconds, action="unsubscribe", topic=topic.encode().hex())

    def sent(self, stream: str, count: int, seconds: float, *, lane: int = 0, topic: str = "", final: bool = True,
             frames_each: int = 2) -> None:  # fmt: skip
        """A sender's word on a lane."""
        about = {"stream": id_of(stream), "lane": lane, "role": "send"}
        self.add("lane", stream, 0, state="announced", topic=topic.encode().hex(), **about)
        progress = {"count": count, "frames": count * frames_each, "first": 0, "next": count}
        self.add("lane", stream, seconds, state="final" if final else "sample", **about, **progress)

    def sampled(self, stream: str, first: int, last: int, times: tuple[float, float]) -> None:
        """A sender's samples that show it sending its first lane's numbers from the first to the last, from one time to another."""
        about = {"stream": id_of(stream), "lane": 0, "role": "send", "state": "sample"}
        for count, seconds in ((first + 1, times[0] + 0.001), (last, times[1] - 0.001)):
            progress = {"count": count, "frames": 2 * count, "first": 0, "next": count}
            self.add("lane", stream, seconds, **about, **progress)

    def got(self, receiver: str, stream: str, count: int, first: int, last: int, seconds: float, *, lane: int = 0,
            final: bool = True, newest: float | None = None, since: int = 0) -> None:  # fmt: skip
        """A receiver's word on a lane: ``count`` messages from ``first`` to ``last``, and ``since`` without a stamp after it."""
        about = {
            "stream": id_of(stream),
            "lane": lane,
            "role": "receive",
            "state": "final" if final else "sample",
        }
        progress = {"count": count, "since": since, "first": first, "next": last + 1}
        newest_sent_at = self._at(seconds if newest is None else newest)
        self.add("lane", receiver, seconds, newest_sent_at=newest_sent_at, **about, **progress)

    def announced(self, receiver: str, stream: str, seconds: float) -> None:
        """The first message of a stream's first lane came."""
        about = {"stream": id_of(stream), "lane": 0, "role": "receive", "state": "announced", "topic": ""}
        self.add("lane", receiver, seconds, **about)

    def gap(self, receiver: str, stream: str, first: int, last: int, times: tuple[float, float], *, lane: int = 0,
            around: tuple[int, int] | None = None, received: int = 0, lost: int | None = None,
            noticed: float | None = None) -> None:  # fmt: skip
        """A run of numbers that a receiver found missing (``lost`` of them, else all), sent between two times: it noticed when it read
        the next message, which had waited for a while if not told otherwise.
        """
        before, after = around or (first - 1, last + 1)
        sent_at = {"before_sent_at": self._at(times[0]), "after_sent_at": self._at(times[1])}
        numbers = {
            "first": first,
            "last": last,
            "before": before,
            "after": after,
            "received": received,
            "lost": lost,
        }
        about = {"stream": id_of(stream), "lane": lane, "action": "gap"}
        self.add(
            "gap", receiver, times[1] + WAITED if noticed is None else noticed, **about, **numbers, **sent_at
        )

    def gap_event(
        self, action: str, receiver: str, stream: str, first: int, last: int, *, lane: int = 0
    ) -> None:
        """Numbers that came "late" or were "skipped"."""
        about = {"stream": id_of(stream), "lane": lane, "action": action}
        self.add("gap", receiver, 1, first=first, last=last, **about)

    def onset(
        self, sender: str, number: int, seconds: float, *, lane: int = 0, lane_number: int | None = None
    ) -> None:
        """A message that met a full pipe."""
        numbers = {
            "number": number,
            "lane": lane,
            "lane_number": number if lane_number is None else lane_number,
        }
        self.add("onset", sender, seconds, **numbers)

    def unroutable(self, router: str, seconds: float, *, number: int, lane: int | None, lane_number: int | None = None,
                   messages: int = 1, reason: str = "unknown_peer", peer: str = "gone") -> None:  # fmt: skip
        """Messages that a ROUTER swallowed."""
        numbers = {"number": number, "lane": lane, "lane_number": lane_number, "messages": messages}
        self.add("unroutable", router, seconds, **numbers, reason=reason, peer=peer.encode().hex())

    def tcp(self, socket: str, seconds: float, limited_by: str, **figures: int) -> None:
        """What the kernel said of the newest connection."""
        self.add("tcp", socket, seconds, connection=self.connections, limited_by=limited_by, **figures)

    def killed_for_memory(self, socket: str, seconds: float, *, limit: int, vanished: int = 1) -> None:
        """The socket's process was found gone when the kernel had killed for memory."""
        self.killed(socket, seconds)
        about = {"kills": 1, "oom_kills": 1, "vanished": vanished, "limit": limit, "cgroup": "/box"}
        self.add("oom", socket, seconds, **about)

    def counters(self, socket: str, seconds: float, *, final: bool = False, **counters: int) -> None:
        """A sample of a socket's counters."""
        self.add("counters", socket, seconds, final=final, **(dict.fromkeys(COUNTERS, 0) | counters))

    def everybody(self) -> frozenset[str]:
        """Return the ids of all sockets and processes, and all hosts."""
        told = (row for rows in self.rows.values() for row in rows)
        return frozenset(
            str(row[name]) for row in told for name in ("socket", "process", "host") if name in row
        )

    def write(self, folder: Path) -> Path:
        """Land all rows, one file a kind and host."""
        for kind, rows in self.rows.items():
            for host in sorted({row["host"] for row in rows}):
                path = place_of(folder, kind, self.start.date(), host) / "batch-1.parquet"
                write_rows(path, kind, [row for row in rows if row["host"] == host])
        return folder

    def _at(self, seconds: float) -> datetime:
        return at(seconds, self.start)
