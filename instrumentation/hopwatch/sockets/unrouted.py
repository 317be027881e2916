"""Messages that a ROUTER swallowed: journaled by runs, so that a peer that stays away costs few events."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from hopwatch.journal.counters import Words
from hopwatch.words import ONSETS, UNROUTABLE

FULL = "full_pipe"
UNKNOWN = "unknown_peer"
ALONE = "routing_id_alone"

MOST_RUNS = 1000

WriteEvent = Callable[..., None]


class Place(NamedTuple):
    """A message's numbers: in its stream, and in its lane (None where messages are not numbered)."""

    number: int
    lane: int | None = None
    lane_number: int | None = None


@dataclass
class Run:
    """Messages to one peer in a row that went nowhere for one reason; ``waiting`` of them are not journaled yet."""

    reason: str
    first: Place
    written: int = 0
    waiting: int = 0


class Unrouted:
    """Counts each message that went nowhere, and journals runs of them.

    An event is written for a run's first message, whenever the run has doubled, and for the rest once it is over.
    """

    def __init__(self, counters: Words, write: WriteEvent, *, probing: bool) -> None:
        self._counters = counters
        self._write = write
        self._runs: dict[bytes, Run] = {}
        self.probing = probing
        self.begun_message = -1
        """Number of the message whose routing id was accepted last."""

    def __bool__(self) -> bool:
        """Whether any run goes on."""
        return bool(self._runs)

    def refused(self, peer: bytes, reason: str, place: Place) -> bool:
        """A message to this peer goes nowhere; returns whether it is the first of its run."""
        self._counters[ONSETS if reason == FULL else UNROUTABLE] += 1
        run = self._runs.get(peer)
        begins = run is None or run.reason != reason
        if run is None or begins:
            self.routed(peer)
            run = self._begin(peer, Run(reason, place))
        if not run.waiting:
            run.first = place
        run.waiting += 1
        if run.waiting >= run.written:
            self._tell(peer, run)
        return begins

    def routed(self, peer: bytes) -> None:
        """A message to this peer was taken: its run is over."""
        run = self._runs.pop(peer, None)
        if run is not None:
            self._tell(peer, run)

    def end(self) -> None:
        """Journal what is left of all runs."""
        for peer in list(self._runs):
            self.routed(peer)

    def _begin(self, peer: bytes, run: Run) -> Run:
        if len(self._runs) >= MOST_RUNS:
            self.routed(next(iter(self._runs)))
        self._runs[peer] = run
        return run

    def _tell(self, peer: bytes, run: Run) -> None:
        if run.waiting == 0:
            return
        if run.reason == FULL:
            if run.written == 0:
                self._write("onset", **run.first._asdict())
        else:
            self._write(
                "unroutable",
                **run.first._asdict(),
                messages=run.waiting,
                reason=run.reason,
                peer=peer[:255].hex(),
            )
        run.written += run.waiting
        run.waiting = 0
