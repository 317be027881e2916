"""Sentences about what could not be checked, about what only counts tell of, about hosts that are behind, and about clocks."""

from collections.abc import Iterator, Mapping
from datetime import timezone

from hopwatch_judge import counted

from hopwatch_analysis.report.records import HostBehind, Unchecked

STAMP_BOTH_ENDS = (
    'Wrap both ends with sequence="stamp" (under hopwatch run: --sequence stamp, for both) to be told what is missing, where and '
    'why; or with sequence="count", which changes nothing on the wire, to be told how many messages of which topic.'
)
STAMP_ROUTED = (
    'Wrap both ends with sequence="stamp" (under hopwatch run: --sequence stamp, for both): a ROUTER then numbers the messages of '
    "each peer."
)
WRAP_THE_SENDER = (
    'Wrap the sender too, with the sequence of its receiver: sequence="stamp", or "count" (under hopwatch run: --sequence stamp, or '
    "count); and see that HOPWATCH_DISABLED is not set for it."
)

SAY_THE_TOPIC = (
    "Say at the sender what of a message is its topic (wrap(topic=b\" \"), or under hopwatch run --topic ' ': what is before the first space; a "
    "number: so many bytes), or send it as a frame of its own."
)

CLOCKS_NAMED = 3


def remark(row: Unchecked) -> str:
    """Who could not be checked, why not, and the counts that there are."""
    return REMARKS[row.reason](row)


def what_to_do(row: Unchecked) -> str | None:
    """What would let it be checked; None where the remark says so, or nothing would."""
    return WHAT_TO_DO.get(row.reason)


def agreement(row: Unchecked) -> str:
    """That as much came as was sent, which is all that counts can tell."""
    if row.shared_out:
        of_all = f" by all its receivers, {row.received} by this one"
    elif row.sent != row.received:
        of_all = f" of all its senders, {row.sent} of this one"
    else:
        of_all = ""
    return f"{_who(row)}: as many received as sent, {_messages(row.agreed_on)}{of_all}."


def _unstamped(row: Unchecked) -> str:
    if row.receiver_name is None:
        return f"{row.sender_is_called} sent {_messages(row.sent)} without stamps, to receivers that are not known."
    if row.shared_out:
        return f"{_who(row)}: sent without stamps; {_shares(row)}."
    missing = "" if row.missing_at_most is None else f": {_are(row.missing_at_most)} missing at most"
    return f"{_who(row)}: sent without stamps; {_counts(row)}{missing}."


def _routed(row: Unchecked) -> str:
    """A ROUTER without stamps."""
    if row.receiver_name is None:
        return _unstamped(row)
    return (
        f"{_who(row)}: a ROUTER sends each message to one peer, and its counts do not "
        f"tell how many to which; {_shares(row)}."
    )


def _partial(row: Unchecked) -> str:
    return (
        f"{_who(row)}: the messages have no topic that is known, and it did not "
        f"subscribe to all of them; {_counts(row)}. {SAY_THE_TOPIC}"
    )


def _filtered(row: Unchecked) -> str:
    return (
        f"{_who(row)}: what it is sent is not what it has subscribed to "
        f"(ZMQ_INVERT_MATCHING, ZMQ_XPUB_MANUAL); {_counts(row)}."
    )


def _unreadable(row: Unchecked) -> str:
    one = row.receiver_is_called or row.sender_is_called or ""
    who = _who(row) if row.receiver_is_called and row.sender_is_called else one
    sent = "not known how many sent" if row.sent is None else f"{_messages(row.sent)} sent"
    return f"{who}: a file of an end's host could not be used, see skipped_files in the report; {sent}, {_received(row)}."


def _nobody(row: Unchecked) -> str:
    return (
        f"{row.sender_is_called} sent {_messages(row.sent)} while nobody was connected to it: a publisher drops those, by design, "
        "and owes them to nobody."
    )


def _unknown_sender(row: Unchecked) -> str:
    return (
        f"{row.receiver_is_called}: {_messages(row.received)} came without stamps: who sent them is not wrapped, or does not stamp "
        "them, and what was lost of them is not known."
    )


def _who(row: Unchecked) -> str:
    receiver, sender = row.receiver_is_called or "", row.sender_is_called or ""
    return f"{receiver}, from {sender}" if "(" in receiver + sender else f"{receiver} (from {sender})"


def _counts(row: Unchecked) -> str:
    return f"{_messages(row.sent)} sent, {_received(row)}"


def _shares(row: Unchecked) -> str:
    """Of messages of which each goes to one of several."""
    by_all = "" if row.received_by_all is None else f" and {row.received_by_all} by all that are watched"
    return f"{_messages(row.sent)} sent to all its peers, {_received(row)} by this one{by_all}"


def _received(row: Unchecked) -> str:
    return "not known how many received" if row.received is None else f"{row.received} received"


def _messages(count: int | None) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _are(count: int) -> str:
    return "1 is" if count == 1 else f"{count} are"


REMARKS = {
    "unstamped": _unstamped,
    "routed": _routed,
    "partial": _partial,
    "filtered": _filtered,
    "nobody": _nobody,
    "unreadable": _unreadable,
    "unknown_sender": _unknown_sender,
}
WHAT_TO_DO = {
    "unstamped": STAMP_BOTH_ENDS,
    "routed": STAMP_ROUTED,
    "unknown_sender": WRAP_THE_SENDER,
}


def behind_remark(host: HostBehind) -> str:
    """What is not known of a host, and since when."""
    heard_until = host.heard_until.astimezone(timezone.utc)
    return (
        f"host {host.host}: nothing landed since {heard_until:%Y-%m-%d %H:%M:%S} UTC, {host.seconds:.0f} s behind the newest event; "
        "what its sockets did since is not known"
    )


def clock_remarks(ahead: Mapping[str, float]) -> Iterator[str]:
    """What there is to say of clocks that differ: of those that differ most, and how many others do."""
    worst = sorted(ahead.items(), key=lambda told: -abs(told[1]))
    for host, seconds in worst[:CLOCKS_NAMED]:
        way = "ahead of" if seconds > 0 else "behind"
        yield f"that of {host} is {abs(seconds):.1f} s {way} those of the hosts it talks to; times here are told by theirs"
    if len(worst) > CLOCKS_NAMED:
        yield f"so it is, by less, with those of {counted(len(worst) - CLOCKS_NAMED, 'other host')}: they are in the report"
