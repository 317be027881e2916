"""Reads one process's journal as FORMAT.md says, for tests of what is written."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopwatch.journal import shared_memory

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
]
LANE_WORDS = ["socket", "stream", "lane", "count", "more_frames", "first", "next", "newest_sent_at"]


def counters_of(path: Path) -> bytes:
    """What stands in the shared memory that a counters file names, or else in the file."""
    data = path.read_bytes()
    (segment,) = struct.unpack_from("<Q", data, 96)
    return shared_memory.read(segment - 1, len(data)) if segment else data


@dataclass(frozen=True)
class Journal:
    """All that stands in a journal directory, of however many processes."""

    directory: Path

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """Events of these kinds (all without any), in order of writing within each process; no heads."""
        found: list[dict[str, Any]] = []
        for path in sorted(self.directory.glob("*.events")):
            # a line without its end is still being written
            whole, _, _ = path.read_text().rpartition("\n")
            segment, *lines = [json.loads(line) for line in whole.splitlines()] or [{"first": 1}]
            own = [line for line in lines if line.get("n", 0) >= segment["first"]]
            found += [line for line in own if not kinds or line["event"] in kinds]
        return found

    def sockets(self) -> dict[str, dict[str, int]]:
        """Live socket slots, by socket id."""
        return self._slots(32, SOCKET_WORDS)

    def lanes(self) -> list[dict[str, int]]:
        """Live lane slots."""
        lanes = list(self._slots(56, LANE_WORDS, keyed=False).values())
        for lane in lanes:
            (seconds,) = struct.unpack("<d", struct.pack("<Q", lane["newest_sent_at"]))
            lane["newest_sent_at"] = round(seconds * 10**9)
        return lanes

    def header(self) -> dict[str, int]:
        """Counts of the whole process, from file 0 of the only process."""
        (path,) = self.directory.glob("*.0000.counters")
        lost, faults = struct.unpack_from("<2Q", counters_of(path), 80)
        return {"events_lost": lost, "faults": faults}

    def faults(self) -> list[dict[str, Any]]:
        """Events of the only process's faults; the log is not read where none was counted."""
        none = not any(self.directory.glob("*.counters"))
        return [] if none or not self.header()["faults"] else self.events("fault")

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
            data = counters_of(path)
            offset, count, size = struct.unpack_from("<3Q", data, at)
            for number in range(count):
                words = struct.unpack_from(f"<{len(names)}Q", data, offset + number * size)
                if words[names.index("socket")]:
                    key = f"{words[names.index('socket')]:016x}" if keyed else (path.name, number)
                    found[key] = dict(zip(names, words, strict=True))
        return found
