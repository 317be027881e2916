"""All that bears on why the messages of one loss are missing."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar

from hopwatch_judge.case import Down, Lane, Link, Socket
from hopwatch_judge.loss import Loss
from hopwatch_judge.steps import Pressure

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Clues:
    """A loss with the two ends of its hop, the link between them and its lane; what is True of the pipe is said of this hop.

    ``pressure`` are its rates; ``overloaded``: the receiver was asked to read more than it did for longer than a burst (None: it is not shown), and then
    whether clearly so. ``limited_by``: what the kernel said that the sender waited for.
    """

    loss: Loss
    sender: Socket
    receiver: Socket
    link: Link
    lane: Lane
    stream_sent: int | None
    """All of the stream, where its socket's own count tells the same."""
    stream_ended_at: float | None
    ends_at: float
    guard: float
    pressure: Pressure
    overloaded: bool | None = None
    limited_by: str | None = None
    lost_until: float | None = None
    """When the last of them had been sent, as its timing tells."""
    onset_between: int | None = None
    """The hop's latest onset between the messages around the gap."""
    met_full_pipe: bool = False
    """Some loss of the stream on this hop begins at an onset."""
    full_in_another_lane: bool = False
    """Another lane ended at a full pipe, or came through to one behind the end of this."""
    stopped_at_onset: bool = False
    """The receiver got all that was sent before an onset, and hardly anything that was sent behind it."""
    fits_into_pipe: bool = False
    """What came to nobody at the ends of the hop's lanes is less than a pipe that drops holds; ``fits_into_inbox``: than the receiver's own queue."""
    fits_into_inbox: bool = False
    dropped_between: bool = False
    """A full pipe made a gap between messages that passed the hop shortly before."""
    overtaken: bool = False
    """Something that was sent later came over the same hop."""
    lacked_by_another: bool = False
    """Nobody knows how the receiver is connected, and one of whom that is known lacks the same."""
    cut_took_the_next: bool = False
    """More of the range before or behind was sent in the cut at the time of this one."""
    unknown_downs: tuple[Down, ...] = ()
    """When connections of the sender were down of which nobody knows where they led."""
    answers: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What ``asked_once`` found, by question."""

    @property
    def at_the_end(self) -> bool:
        return self.loss.part in ("tail", "all")

    @property
    def watched(self) -> bool:
        return not self.link.unwatched

    @property
    def sent_at(self) -> float | None:
        """By when the last message of the lane had been sent; ``sent_after``: when it had not."""
        return self.lane.moved_at

    @property
    def sent_after(self) -> float | None:
        return self.lane.moved_after

    @property
    def conflates(self) -> bool:
        """An end keeps the newest message only, so that neither has a full pipe: an onset in a range was another receiver's."""
        return self.link.linked and 1 in (self.sender.conflate, self.receiver.conflate)

    @property
    def to_proxy(self) -> bool:
        return self.receiver.node_type == "PROXY"

    def with_others(self, **told: Any) -> "Clues":
        """With what the losses beside it tell."""
        is_new = any(getattr(self, name) != value for name, value in told.items())
        return replace(self, **told) if is_new else self


def asked_once(question: Callable[[Clues], Answer]) -> Callable[[Clues], Answer]:
    """The question, which is worked out once for the same clues: several causes ask it."""

    @wraps(question)
    def ask(clues: Clues) -> Answer:
        answers = clues.answers
        if question not in answers:
            answers[question] = question(clues)
        found: Answer = answers[question]
        return found

    return ask
