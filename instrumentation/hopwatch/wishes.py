"""What a caller of ``wrap`` or ``install`` asks for."""

from __future__ import annotations

from dataclasses import dataclass

from hopwatch.errors import UsageError
from hopwatch.lanes.topics import TopicRule, rule_flags, topic_rule
from hopwatch.sequences import NumberedMessages, named
from hopwatch.settings import Settings


@dataclass(frozen=True)
class Wish:
    """What the caller of ``wrap`` asked for."""

    name: str | None
    stamped: bool
    counted: bool
    numbers: NumberedMessages | None
    rule: TopicRule
    stamp_every: int
    rule_flags: int | None
    first_calls: int

    @property
    def sequence_name(self) -> str | None:
        """What the journal calls the sequence."""
        if self.stamped or self.counted:
            return "stamp" if self.stamped else "count"
        return None if self.numbers is None else self.numbers.name


def wish_of(settings: Settings, name: object, sequence: object, stamp_every: int, topic: object) -> Wish:
    """The arguments of ``wrap``, checked, with what the environment says where they are silent. Raises UsageError."""
    sequence = settings.sequence if sequence is None else sequence
    stamped, counted = (isinstance(sequence, str) and sequence == word for word in ("stamp", "count"))
    numbers = None if stamped or counted else named(sequence)
    if not isinstance(stamp_every, int) or isinstance(stamp_every, bool) or stamp_every < 1:
        raise UsageError(f"stamp_every must be an integer from 1 on, not {stamp_every!r}")
    topic = settings.topic if topic is None else topic
    every = settings.stamp_every if stamp_every == 1 else stamp_every
    return Wish(
        settings.name if name is None or name == "" else str(name),
        stamped,
        counted,
        numbers,
        topic_rule(topic),
        every,
        rule_flags(topic),
        settings.first_calls,
    )
