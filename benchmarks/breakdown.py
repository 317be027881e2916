"""What the parts of a send and of a receive cost: nanoseconds of each over inproc, the least of many repetitions, on one core.

chrt -r 50 python benchmarks/breakdown.py     # as root; without chrt, on a machine that does nothing else

Most rows are a call with one part more than that of another row; whole calls of hopwatch's come last.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import hopwatch
import zmq
from ways import MESSAGE, Function, Ways

CALLS, REPETITIONS = 1000, 300


@dataclass(frozen=True)
class Part:
    """A way to send or receive: a method for a class of sockets, pyzmq's own, or that of a wrapped socket."""

    name: str
    than: str = ""
    """The row that it has this part more than."""

    method: Callable[[Ways], Function] | None = None
    wish: dict[str, Any] | None = field(default=None)

    of_two_frames: bool = False
    """Whether what it receives has two frames."""


COUNTING: dict[str, Any] = {}
STAMPING: dict[str, Any] = {"sequence": "stamp"}
SPARSE: dict[str, Any] = {"sequence": "stamp", "stamp_every": 16}
BY_TOPIC: dict[str, Any] = {"sequence": "count"}
WHOLE = (
    Part("hopwatch, counting", "bare", wish=COUNTING),
    Part("hopwatch, counting by topic", "bare", wish=BY_TOPIC),
    Part("hopwatch, stamping one in 16", "bare", wish=SPARSE),
    Part("hopwatch, stamping", "bare", wish=STAMPING),
)
SENDS = (
    Part("bare"),
    Part("the call below pyzmq's Python layer", "", Ways.below),
    Part("Python frame", "the call below pyzmq's Python layer", Ways.framed_send),
    Part("checks of flags and size", "Python frame", Ways.checking_send),
    Part("sum", "Python frame", Ways.summing_send),
    Part("store into the mapped file", "sum", Ways.storing_send),
    Part("clock", "Python frame", Ways.timing_send),
    Part("clock, stored", "Python frame", Ways.time_storing_send),
    Part("a second frame", "Python frame", Ways.two_frames_send),
    *WHOLE,
)
RECEIVES = (
    Part("bare"),
    Part("Python frame", "bare", Ways.framed_recv),
    Part("checks of size and number", "Python frame", Ways.checking_recv),
    Part("sum", "Python frame", Ways.summing_recv),
    Part("store into the mapped file", "sum", Ways.storing_recv),
    Part("Frame in place of bytes", "Python frame", Ways.frame_recv),
    Part("RCVMORE asked", "Python frame", Ways.asking_recv),
    Part("a second frame", "Frame in place of bytes", Ways.two_frames_recv, of_two_frames=True),
    Part("a stamp unpacked", "a second frame", Ways.unpacking_recv, of_two_frames=True),
    *WHOLE,
)


def main() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory(prefix="hopwatch-benchmark-") as folder:
        os.environ["HOPWATCH_DIR"] = folder
        whole = (Part("bare"), *WHOLE)
        tables = {"send": SENDS, "recv": RECEIVES, "send_multipart": whole, "recv_multipart": whole}
        for name, parts in tables.items():
            print(table(name, parts, measured(name, parts)))


def table(name: str, parts: Sequence[Part], costs: dict[str, float]) -> str:
    lines = [f"| {name} | ns | more | than |", "| --- | ---: | ---: | --- |"]
    for part in parts:
        more = f"{costs[part.name] - costs[part.than]:+.0f}" if part.than else ""
        lines.append(f"| {part.name} | {costs[part.name]:.0f} | {more} | {part.than} |")
    return "\n".join(lines) + "\n"


def measured(name: str, parts: Sequence[Part]) -> dict[str, float]:
    """The least cost of each part's call (ns), the loop around it left out; the parts take turns."""
    with ExitStack() as stack:
        pairs = {part.name: stack.enter_context(pair(name, part)) for part in parts}
        least = dict.fromkeys(pairs, float("inf"))
        loop = float("inf")
        for _ in range(REPETITIONS):
            loop = min(loop, loop_cost())
            for each, (sender, receiver) in pairs.items():
                sent, received = costs_of(sender, receiver, multipart=name.endswith("multipart"))
                least[each] = min(least[each], sent if name.startswith("send") else received)
    return {each: cost - loop for each, cost in least.items()}


def costs_of(
    sender: zmq.Socket[bytes], receiver: zmq.Socket[bytes], *, multipart: bool
) -> tuple[float, float]:
    """Of a send and a receive, ns; a multipart message has a topic as its first frame."""
    send: Function = sender.send_multipart if multipart else sender.send
    receive: Function = receiver.recv_multipart if multipart else receiver.recv
    message = [b"topic", MESSAGE] if multipart else MESSAGE
    began = time.perf_counter_ns()
    for _ in range(CALLS):
        send(message)
    sent = time.perf_counter_ns()
    for _ in range(CALLS):
        receive()
    received = time.perf_counter_ns()
    while receiver.poll(0):
        receiver.recv()
    return (sent - began) / CALLS, (received - sent) / CALLS


def loop_cost() -> float:
    began = time.perf_counter_ns()
    for _ in range(CALLS):
        pass
    return (time.perf_counter_ns() - began) / CALLS


@contextmanager
def pair(name: str, part: Part) -> Iterator[tuple[zmq.Socket[bytes], zmq.Socket[bytes]]]:
    """A PUSH and a PULL, one of which sends or receives by the part's method; or both wrapped."""
    with tempfile.TemporaryFile() as file, zmq.Context() as context:
        file.truncate(mmap.PAGESIZE)
        memory = memoryview(mmap.mmap(file.fileno(), mmap.PAGESIZE))
        ways = Ways(memory.cast("Q"), memory.cast("d"))
        own = {} if part.method is None else {name: part.method(ways)}
        if part.of_two_frames:
            own["send"] = ways.two_frames_send()
        kind = type("Socket", (zmq.Socket,), own) if own else zmq.Socket
        with kind(context, zmq.PUSH) as sender, kind(context, zmq.PULL) as receiver:
            for socket in (sender, receiver):
                socket.set_hwm(0)
                if part.wish is not None:
                    hopwatch.wrap(socket, **part.wish)
            sender.bind("inproc://parts")
            receiver.connect("inproc://parts")
            yield sender, receiver


if __name__ == "__main__":
    main()
