"""How it stands with an agent, in words."""

import math
from datetime import datetime

from hopwatch_console.fleet.picture import Contact, Phase
from hopwatch_console.words import clock, lasting

NOT_COUNTED = 'losses are not counted: nothing numbered (sequence="stamp") has come here'
BACK_SECONDS = 60.0
"""How long it is said that an agent is back."""


def contact_words(contact: Contact, now: datetime) -> str:
    """One line; all times are UTC."""
    if contact.phase is Phase.ASKED:
        return "asked, no answer yet"
    if contact.phase is Phase.AWAY:
        return f"away since {clock(contact.since)}, {_again(contact, now)}"
    if contact.away_for is not None and (now - contact.since).total_seconds() < BACK_SECONDS:
        return f"back since {clock(contact.since)}, was away for {lasting(contact.away_for)}"
    return "live"


def _again(contact: Contact, now: datetime) -> str:
    if contact.again_at is None:
        return "asked again"
    left = math.ceil((contact.again_at - now).total_seconds())
    return f"trying again in {left} s" if left > 0 else "trying again"
