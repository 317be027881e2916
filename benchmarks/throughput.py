"""Messages per second over loopback TCP, sender and receiver each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

import ends
from load import SENDER, Load

DEADLINE_SECONDS = 120.0


def messages_per_second(variant: str, load: Load) -> float:
    """One run in two fresh processes. Raises `RuntimeError` if one of them dies or they miss the deadline."""
    with _process(ends.send, variant, load) as sender, _process(ends.receive, variant, load) as receiver:
        receiver.send(_answer(sender, receiver))
        _answer(receiver, sender)
        sender.send("go")
        by_sender = float(_answer(sender, receiver, both=load.bound != SENDER))
        by_receiver = _answer(receiver, sender, both=True)
        sender.send("leave")
        if load.bound == SENDER:
            return load.messages / by_sender
        return (load.messages - 1) / float(by_receiver)


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
