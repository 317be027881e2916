"""What is wrong with the advice of an incident, by what its own evidence says: read off the texts, as a user does."""

import re
from collections.abc import Callable
from typing import Any

Incident = dict[str, Any]

RATES = re.compile(r"reads (\d+) messages/s, and gets sent (\d+)")
DELAYS = re.compile(
    r"each 1000 messages of (SNDHWM(?: or RCVHWM)?) last (?:at most )?([\d.e+]+) s at these rates"
)
RAISED = re.compile(r"Raise (\w+) of \S+ from (\d+) to at least (\d+)")
MARK_RAISED = re.compile(r"\b(?:Raise|Set|raise|set) (?:SND|RCV)HWM")
BOUNDED = re.compile(r"A lower (?:SND|RCV)HWM \(now (\d+)[^)]*\)[^:;]*: at (\d+), no more than \2\b")
ROUNDED = 0.1
"""Of a figure of two places."""


def unsound(incident: Incident) -> list[str]:
    """What is wrong; nothing, if it is sound."""
    text = " ".join(incident["advice"])
    found = [f"says {word}" for word in ("None", "nan", "inf ") if word in text]
    found += [told for rule in RULES if (told := rule(incident, text))]
    return found


def _reads_less_than_it_is_sent(incident: Incident, text: str) -> str | None:
    if incident["cause"] != "slow_receiver" or not (rates := RATES.search(text)):
        return None
    read, sent = map(int, rates.groups())
    if read > sent:
        return f"too slow, though it {rates[0]}"
    delays = DELAYS.search(text)
    if delays and sent > read:
        lasts, told = 1000 / (sent - read), float(delays[2])
        close = abs(lasts - told) <= ROUNDED * lasts + 1000 / (sent - read) ** 2
        return None if close else f"1000 messages last {lasts:.2f} s at these rates, and not {told}"
    return None


def _marks_of_a_receiver_buy_nothing_on_a_slow_network(incident: Incident, text: str) -> str | None:
    delays = DELAYS.search(text)
    wrong = incident["cause"] == "network" and delays and "RCVHWM" in delays[1]
    return "RCVHWM is said to hold what the network does not take" if wrong else None


def _no_mark_makes_up_for_a_slow_receiver(incident: Incident, text: str) -> str | None:
    raised = MARK_RAISED.search(text)
    return (
        f"{raised[0]}, though the receiver is too slow"
        if incident["cause"] == "slow_receiver" and raised
        else None
    )


def _what_is_raised_is_higher(_incident: Incident, text: str) -> str | None:
    wrong = [raised[0] for raised in RAISED.finditer(text) if int(raised[3]) <= int(raised[2])]
    return f"not higher: {wrong}" if wrong else None


def _a_bound_was_one(incident: Incident, text: str) -> str | None:
    bounded = BOUNDED.search(text)
    if bounded and incident["lost"] > int(bounded[1]) > 0:
        return f"more was lost than the mark that is said to bound it: {bounded[0]}"
    return None


def _cuts_are_of_its_time(incident: Incident, _text: str) -> str | None:
    """No scenario cuts a hop twice within one incident."""
    told = [each["disconnections"] for each in incident["evidence"] if each["kind"] == "disconnected"]
    return f"went down {max(told)} times" if told and max(told) > 1 else None


RULES: tuple[Callable[[Incident, str], str | None], ...] = (
    _reads_less_than_it_is_sent,
    _marks_of_a_receiver_buy_nothing_on_a_slow_network,
    _no_mark_makes_up_for_a_slow_receiver,
    _what_is_raised_is_higher,
    _a_bound_was_one,
    _cuts_are_of_its_time,
)
