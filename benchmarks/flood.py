"""A million gaps, and a million full pipes: what they take of memory and of the journal's directory.

    python benchmarks/flood.py

Gaps: every second number is missing, so that each message is one. Full pipes: a stamped ROUTER alternates between a peer that is
full and one that is not there, so that each message to either is lost and begins or ends a run.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import hopwatch
import zmq
from hopwatch import stamp
from hopwatch.journal.events import SEGMENT_BYTES, SEGMENTS_KEPT
from hopwatch.words import LOST, ONSETS, UNROUTABLE

MILLION = 1_000_000
STEP = 50_000


def main() -> int:
    print("| flood | lost | resident memory, after 5 % to the end | journal | its bound |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(prefix="hopwatch-flood-") as directory, zmq.Context() as context:
        os.environ["HOPWATCH_DIR"] = directory
        report(Path(directory), "1,000,000 gaps", *gaps(context))
        peers = "1,000,000 messages to a full pipe, as many to peers that are not there"
        report(Path(directory), peers, *full_pipes(context))
    return 0


def report(directory: Path, name: str, lost: int, grown: int) -> None:
    size = sum(path.stat().st_size for path in directory.glob("*.events"))
    bound = (SEGMENTS_KEPT + 1) * SEGMENT_BYTES
    print(
        f"| {name} | {lost:,} | {grown / 1e6:+.2f} MB | {size / 1e6:.1f} MB | {bound / 1e6:.1f} MB |",
        flush=True,
    )


def gaps(context: zmq.Context) -> tuple[int, int]:
    sender = context.socket(zmq.PAIR)
    receiver = hopwatch.wrap(context.socket(zmq.PAIR), name="receiver", sequence="stamp")
    sender.bind("inproc://pair")
    receiver.connect("inproc://pair")

    def one(number: int) -> None:
        frame = stamp.encode(stamp.Stamp(0, 0, 0, 77, 2 * number, 2 * number, time.time_ns()))
        sender.send_multipart([b"x", frame])
        receiver.recv()

    grown = flood(one)
    lost = receiver._hopwatch.slot.words[LOST]
    receiver.close()
    sender.close(linger=0)
    return lost, grown


def full_pipes(context: zmq.Context) -> tuple[int, int]:
    router = context.socket(zmq.ROUTER)
    dealer = context.socket(zmq.DEALER)
    router.sndhwm = dealer.rcvhwm = 1
    hopwatch.wrap(router, name="router", sequence="stamp")
    router.bind("inproc://router")
    dealer.routing_id = b"full"
    dealer.connect("inproc://router")
    router.poll(0)

    def one(number: int) -> None:
        router.send_multipart([b"full", b"x"])
        router.send_multipart([b"gone-%d" % (number % 5000), b"x"])

    grown = flood(one)
    lost = router._hopwatch.slot.words[ONSETS] + router._hopwatch.slot.words[UNROUTABLE]
    router.close(linger=0)
    dealer.close(linger=0)
    return lost, grown


def flood(one: Callable[[int], None]) -> int:
    """Do it a million times; returns by how many bytes memory grew after the first twentieth."""
    before = 0
    for number in range(MILLION):
        if number % STEP == 0:
            progress(number)
        if number == STEP:
            before = resident()
        one(number)
    return resident() - before


def progress(number: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{number:,} of {MILLION:,}", end="\r", file=sys.stderr, flush=True)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    sys.exit(main())
