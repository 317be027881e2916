"""Many small journals, as of processes that come and go: each has a lock of its own, and is gone once that is let go.

Run as a program, since a process does not see its own locks: ``crowd.py DIRECTORY PROCESSES AT_ONCE EVENTS``.
"""

import os
import sys
from collections import deque
from pathlib import Path

from journal_writer import COUNTER_NAMES, JournalWriter


def come(directory: Path, events: int) -> JournalWriter:
    """A process that has opened a socket and written some events; its last counters are in its slot."""
    writer = JournalWriter(directory)
    socket = os.urandom(8).hex()
    writer.opened(socket)
    for number in range(events):
        writer.event("onset", socket=socket, number=number, lane=0, lane_number=number)
    writer.set_counters(socket, 0, sent=events)
    return writer


def close_first(writer: JournalWriter, events: int) -> None:
    """The last words of one that ends in order."""
    socket = os.urandom(8).hex()
    writer.opened(socket, slot=1)
    counters = dict.fromkeys(COUNTER_NAMES, 0) | {"sent": events}
    writer.event("closed", socket=socket, counters=counters)
    writer.event("exit")


def main() -> None:
    """They come one after the other; the oldest goes when there are too many, and all go at the end."""
    directory, processes, at_once, events = Path(sys.argv[1]), *map(int, sys.argv[2:])
    living: deque[JournalWriter] = deque()
    for number in range(processes):
        living.append(come(directory, events))
        if len(living) > at_once:
            oldest = living.popleft()
            if number % 2:
                close_first(oldest, events)
            oldest.close()
    for writer in living:
        writer.close()
    print(processes * events, flush=True)


if __name__ == "__main__":
    main()
