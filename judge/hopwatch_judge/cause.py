"""A cause: what it means, what shows it, and what to change."""

from collections.abc import Callable
from dataclasses import dataclass

from hopwatch_judge.claim import Claim
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.incident import Evidence, Incident

ONE = {"they": "it was", "these": "this message", "them": "it"}
SEVERAL = {"they": "they were", "these": "these messages", "them": "them"}
ANY = {"sender": "the sender", "receiver": "the receiver"} | {
    "they": "the messages were",
    "these": "messages",
    "them": "the messages",
}


@dataclass(frozen=True)
class Cause:
    """Why messages are lost.

    ``because`` says what happened, with {sender}, {receiver}, and for the messages {they} (which brings its
    verb), {these} and {them}; ``special`` says it of incidents of which more is known. ``seen`` makes the
    evidence, piece by piece in this order: each returns None where it does not apply. ``explain`` says of a loss whether this is why.
    """

    name: str
    because: str
    seen: tuple[Callable[[Incident], Evidence | None], ...]
    advise: Callable[[Incident], list[str]]
    explain: Callable[[Clues], Claim | None]
    special: Callable[[Incident], str | None] | None = None

    @property
    def meaning(self) -> str:
        """What happened, as a sentence about no incident in particular."""
        sentence = self.because.format(**ANY)
        return f"{sentence[0].upper()}{sentence[1:]}."

    def meaning_of(self, incident: Incident) -> str:
        """What happened in an incident, without a full stop."""
        words = ONE if incident.lost == 1 else SEVERAL
        because = (self.special and self.special(incident)) or self.because
        return because.format(sender=incident.sender, receiver=incident.receiver, **words)

    def evidence(self, incident: Incident) -> list[Evidence]:
        """What shows an incident's cause."""
        return [item for piece in self.seen if (item := piece(incident))]
