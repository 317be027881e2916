"""Which lane a message belongs to: its topic, and how much of the first frame that is."""

from collections.abc import Callable, Sequence

from hopwatch.errors import UsageError
from hopwatch.interruptions import comes_from_without
from hopwatch.stamp import BY_FIRST_FRAME, LENGTH_SHIFT

Frames = Sequence[bytes]
TopicRule = Callable[[Frames], bytes | None]
"""From a message's frames to its topic; None: the message shares the whole-stream lane."""

LONGEST_TOPIC = 255

MOST_TOPICS = 1_000
"""Messages that are counted by topic and not numbered: those of further topics are counted together."""


def topic_rule(topic: object) -> TopicRule:
    """The rule that ``wrap(topic=...)`` names.

    None: the first frame of a message of two or more frames. ``bytes`` or ``str``: the first frame up to this delimiter.
    ``int``: that many leading bytes of the first frame. A callable is the rule itself.
    Raises UsageError for anything else.
    """
    if topic is None:
        return first_of_several
    delimiter = topic.encode() if isinstance(topic, str) else topic
    if isinstance(delimiter, bytes) and delimiter:
        return lambda frames: frames[0].split(delimiter, 1)[0]
    if isinstance(topic, int) and not isinstance(topic, bool) and topic > 0:
        return lambda frames: frames[0][:topic]
    if callable(topic):
        return _asked(topic)
    raise UsageError(f"topic must be a delimiter, a positive length or a callable, not {topic!r}")


def rule_flags(topic: object) -> int | None:
    """What a stamp says of the rule that ``topic`` names, for it to be applied by a receiver; None: too much for a stamp."""
    if topic is None:
        return BY_FIRST_FRAME
    if isinstance(topic, int):
        return topic << LENGTH_SHIFT if topic <= LONGEST_TOPIC else None
    return None


def length_in_first_frame(topic: bytes, frames: Frames) -> int:
    """How many leading bytes of the first frame the topic is; 0 if it is not a prefix of it."""
    return len(topic) if frames[0].startswith(topic) else 0


def first_of_several(frames: Frames) -> bytes | None:
    """The first frame of a message of two or more frames."""
    return frames[0] if len(frames) > 1 else None


def _asked(applications: TopicRule) -> TopicRule:
    def rule(frames: Frames) -> bytes | None:
        try:
            return applications(frames)
        except BaseException as error:  # what it raises is not meant to end the program
            if isinstance(error, Exception) or comes_from_without(error):
                raise
            raise UsageError(f"the topic rule raised {type(error).__name__}") from error

    return rule
