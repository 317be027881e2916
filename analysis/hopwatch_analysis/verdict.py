"""The verdict in the terminal: what was lost, on which hop, why, and what to change; then who lost nothing."""

import textwrap
from collections.abc import Iterator

from hopwatch_analysis.advice import advice
from hopwatch_analysis.evidence import evidence
from hopwatch_analysis.records import Analysis, Incident, LedgerRow

WIDTH = 100

MEANING = {
    "slow_receiver": "{receiver} reads more slowly than {sender} sends, and the pipe between them was full",
    "hwm_too_low": "the pipe was full in bursts only; {receiver} keeps up with the mean rate",
    "slow_joiner": "they were sent before the subscription of {receiver} arrived",
    "reconnect": "the connection went down and they were sent meanwhile, or were in its buffers",
    "closed": "a socket was closed with these messages still unread",
    "sender_died": "{sender} ended with these messages still in its queue",
    "receiver_died": "{receiver} ended before it had read them",
    "unroutable": "{sender} is a ROUTER and had nowhere to send them to, and a ROUTER swallows what it cannot route",
}


def verdict(analysis: Analysis) -> str:
    """The verdict as lines of text."""
    lines = [_headline(analysis)]
    for incident in analysis.incidents:
        lines += ["", *_incident(incident)]
    lines += ["", *(_receiver(row) for row in analysis.ledger if row.receiver)]
    lines += _unexplained(analysis)
    notes = (f"Note: {found.text} {found.advice}".rstrip() for found in analysis.findings)
    lines += dict.fromkeys(notes)
    return "\n".join(lines)


def _headline(analysis: Analysis) -> str:
    if not analysis.ledger:
        return "No stamped stream was found: there is nothing to tell about losses."
    lost = sum(hop.lost for hop in analysis.hops)
    if lost:
        hops = [hop for hop in analysis.hops if hop.lost]
        where = f"on {hops[0].label}" if len(hops) == 1 else f"on {len(hops)} hops"
        return f"LOST: {_messages(lost)} {where}."
    if any(row.unexplained for row in analysis.ledger):
        return "No loss is proven, but not every message is accounted for."
    return "NOTHING LOST: every message is accounted for."


def _incident(incident: Incident) -> Iterator[str]:
    sure = "" if incident.exact else " (inferred)"
    yield f"{incident.hop}: {_messages(incident.lost)} lost"
    meaning = MEANING[incident.cause].format(sender=incident.sender, receiver=incident.receiver)
    yield from _wrapped("  Why:     ", f"{incident.cause}{sure}: {meaning}.")
    for number, item in enumerate(evidence(incident)):
        yield from _wrapped("  Seen:    " if number == 0 else " " * 11, f"- {item['text']}")
    for number, text in enumerate(advice(incident)):
        yield from _wrapped("  Change:  " if number == 0 else " " * 11, f"- {text}")


def _receiver(row: LedgerRow) -> str:
    name = f"{row.receiver_name or row.receiver} (from {row.name})"
    if row.lost == row.unexplained == 0:
        rest = f", {row.in_flight} still in flight" if row.in_flight else ""
        return f"{name} lost nothing: {row.delivered} of {row.sent} delivered{rest}."
    lost = ", ".join(f"{count} {cause}" for cause, count in sorted(row.causes.items()))
    return f"{name}: {row.delivered} of {row.sent} delivered; {lost}."


def _unexplained(analysis: Analysis) -> Iterator[str]:
    total = sum(row.unexplained for row in analysis.ledger)
    if not total:
        return
    yield ""
    yield f"UNEXPLAINED: {_messages(total)}. They did not arrive, but nothing shows which hop lost them, or why:"
    for row in analysis.ledger:
        if row.unexplained:
            yield f"  {row.unexplained} of {row.name} → {row.receiver_name or 'one of its receivers, not known which'}"


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def _wrapped(first: str, text: str) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * (len(first) + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )
