"""Reads one process's journal as FORMAT.md says, for tests of what is written."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SOCKET_WORDS = [
    "socket",
    "sent",
    "sent_more_frames",
    "sent_bytes",
    "received",
    "received_more_frames",
    "received_bytes",
    "eagain_sends",
    "eagain_receives",
    "waited_sends",
    "waited_ns",
    "onsets",
    "unroutable",
    "gaps",
    "lost",
    "duplicated",
    "reordered",
    "waited_receives",
    "proxied_in_frames",
    "proxied_in_bytes",
    "proxied_out_frames",
    "proxied_out_bytes",
    "pending_sends",
    "proxied_at",
    "sent_run_base",
    "sent_run_size",
    "received_run_base",
    "received_run_size",
]
LANE_WORDS = ["socket", "stream", "lane", "count", "more_frames", "first", "next", "newest_sent_at"]


@dataclass(frozen=True)
class Journal:
    """All that stands in a journal directory, of however many processes."""

    directory: Path

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """Events of these kinds (all without any), in order of writing within each process; segment lines left out."""
        found = []
        for path in sorted(self.directory.glob("*.events")):
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            found += [
                line for line in lines if line["event"] != "segment" and (not kinds or line["event"] in kinds)
            ]
        return found

    def sockets(self) -> dict[str, dict[str, int]]:
        """Live socket slots, by socket id."""
        slots = self._slots(32, SOCKET_WORDS)
        for words in slots.values():
            for way in ("sent", "received"):
                base, size = words.pop(f"{way}_run_base"), words.pop(f"{way}_run_size")
                if size:
                    words[f"{way}_bytes"] = (base + words[way] * (size - 1)) % 2**64
        return slots

    def lanes(self) -> list[dict[str, int]]:
        """Live lane slots."""
        return list(self._slots(56, LANE_WORDS, keyed=False).values())

    def header(self) -> dict[str, int]:
        """Counts of the whole process, from file 0 of the only process."""
        (path,) = self.directory.glob("*.0000.counters")
        lost, faults = struct.unpack_from("<2Q", path.read_bytes(), 80)
        return {"events_lost": lost, "faults": faults}

    def socket(self, name: str) -> dict[str, int]:
        """Counters of the socket of a name: from its slot, or from its closed event."""
        opened = next(event for event in self.events("opened") if event["name"] == name)
        for event in self.events("closed"):
            if event["socket"] == opened["socket"]:
                return dict(event["counters"])
        return self.sockets()[opened["socket"]]

    def of(self, name: str, *kinds: str) -> list[dict[str, Any]]:
        """Events of one socket, by its name."""
        opened = next(event for event in self.events("opened") if event["name"] == name)
        return [event for event in self.events(*kinds) if event.get("socket") == opened["socket"]]

    def _slots(self, at: int, names: list[str], keyed: bool = True) -> dict[Any, dict[str, int]]:
        found: dict[Any, dict[str, int]] = {}
        for path in sorted(self.directory.glob("*.counters")):
            data = path.read_bytes()
            offset, count, size = struct.unpack_from("<3Q", data, at)
            for number in range(count):
                words = struct.unpack_from(f"<{len(names)}Q", data, offset + number * size)
                if words[0]:
                    key = f"{words[0]:016x}" if keyed else (path.name, number)
                    found[key] = dict(zip(names, words, strict=True))
        return found
