"""Sentences about what could not be checked."""

from hopwatch_analysis.records import Unchecked


def remark(row: Unchecked) -> str:
    """Who could not be checked, why not, and the counts that there are."""
    return REMARKS[row.reason](row)


def _unstamped(row: Unchecked) -> str:
    if row.receiver_name is None:
        return f"{row.name} sent {_messages(row.sent)} without stamps, to receivers that are not known."
    return f"{row.receiver_name} (from {row.name}): sent without stamps; {_counts(row)}."


def _partial(row: Unchecked) -> str:
    return (
        f"{row.receiver_name} (from {row.name}): the messages have no topic that is known, and it did not subscribe to "
        f"all of them; {_counts(row)}. Give wrap() the topic (topic=...), or send it as a frame of its own."
    )


def _filtered(row: Unchecked) -> str:
    return (
        f"{row.receiver_name} (from {row.name}): what it is sent is not what it has subscribed to (ZMQ_INVERT_MATCHING, "
        f"ZMQ_XPUB_MANUAL); {_counts(row)}."
    )


def _nobody(row: Unchecked) -> str:
    return (
        f"{row.name} sent {_messages(row.sent)} while nobody was connected to it: a publisher drops those, by design, "
        "and owes them to nobody."
    )


def _counts(row: Unchecked) -> str:
    received = "not known how many" if row.received is None else str(row.received)
    return f"{_messages(row.sent)} sent, {received} received"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


REMARKS = {"unstamped": _unstamped, "partial": _partial, "filtered": _filtered, "nobody": _nobody}
