"""Messages per second over loopback TCP, of bare and counted sockets side by side in the same two processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import ends
from load import SENDER, Load

DEADLINE_SECONDS = 120.0

Rates = tuple[float, float]
"""Messages per second of a pair of turns: bare, counted."""


def pairs_of_rates(variant: str, load: Load, pairs: int) -> Iterator[Rates]:
    """One run in two fresh processes, of so many pairs of turns; every other pair begins with the bare turn.

    Raises `RuntimeError` if a process dies or they miss the deadline.
    """
    with _process(ends.send, variant, load) as sender, _process(ends.receive, variant, load) as receiver:
        receiver.send(_answer(sender, receiver))
        for _ in range(len(ends.SIDES)):
            _answer(receiver, sender)
            sender.send("connected")
        for pair in range(pairs):
            order = ends.SIDES if pair % 2 == 0 else ends.SIDES[::-1]
            rates = {side: _turn(side, sender, receiver, load) for side in order}
            yield rates[ends.BARE_SIDE], rates[ends.COUNTED_SIDE]
        for pipe in (sender, receiver):
            pipe.send(ends.END)


def _turn(side: str, sender: Connection, receiver: Connection, load: Load) -> float:
    """Messages per second of one turn. The sender is told to begin once the receiver is ready."""
    receiver.send(side)
    _answer(receiver, sender)
    sender.send(side)
    by_sender = float(_answer(sender, receiver, both=True))
    by_receiver = float(_answer(receiver, sender, both=True))
    if load.bound == SENDER:
        return load.messages / by_sender
    return (load.messages - 1) / by_receiver


@contextmanager
def _process(
    target: Callable[[Connection, str, Load], None], variant: str, load: Load
) -> Iterator[Connection]:
    ours, theirs = Pipe()
    process = SpawnProcess(target=target, args=(theirs, variant, load), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
        process.join(DEADLINE_SECONDS)
    finally:
        process.kill()
        process.join()


def _answer(pipe: Connection, other: Connection, *, both: bool = False) -> str:
    """What comes by this pipe; nothing may come by the other meanwhile, unless both are to say something."""
    ready = wait([pipe] if both else [pipe, other], DEADLINE_SECONDS)
    if not ready:
        raise RuntimeError(f"the benchmark's processes said nothing for {DEADLINE_SECONDS:.0f} s")
    if pipe not in ready:
        raise RuntimeError("a benchmark process died; what it said is above")
    try:
        return str(pipe.recv())
    except EOFError as error:
        raise RuntimeError("a benchmark process died; what it said is above") from error
