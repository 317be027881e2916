"""The cause of each loss: the first of the registry that explains it, and how sure that is."""

from dataclasses import dataclass

from hopwatch_judge.causes.registry import CAUSES
from hopwatch_judge.clues import ended
from hopwatch_judge.clues.clues import Clues
from hopwatch_judge.optional import first_of, highest, lowest
from hopwatch_judge.steps import IN_FLIGHT, UNEXPLAINED


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a loss came about. ``exact``: one cause alone claims it, and proves it."""

    cause: str
    exact: bool = False


def decided(clues: Clues) -> Decision:
    """Why one loss came about."""
    if clues.loss.part == "unsure":
        return Decision(UNEXPLAINED)
    if not clues.loss.hop_known:
        return Decision(IN_FLIGHT if _may_be_under_way(clues) else UNEXPLAINED)
    claims = [(cause.name, claim) for cause in CAUSES if (claim := cause.explain(clues))]
    if not claims:
        waits = clues.at_the_end and (ended.goes_on(clues) or _still_queued(clues))
        return Decision(IN_FLIGHT if waits else UNEXPLAINED)
    cause, claim = claims[0]
    return Decision(cause, exact=claim.proof and len(claims) == 1 and not _guessed(clues))


def _guessed(clues: Clues) -> bool:
    """Which numbers these are, or that they were owed, or that the connection did not go down, is not known for certain."""
    whose = clues.loss.contested or clues.link.mistakable
    return clues.loss.sparse or not clues.watched or (whose and clues.at_the_end)


def _still_queued(clues: Clues) -> bool:
    return ended.both_open(clues) and not ended.on_no_known_way(clues)


def _may_be_under_way(clues: Clues) -> bool:
    """On a way of which the hop that lost it is not known."""
    if not clues.at_the_end:
        return False
    return ended.goes_on(clues) or (ended.both_open(clues) and clues.stream_ended_at is None)


def span(clues: Clues) -> tuple[float | None, float | None]:
    """When the lost messages were sent, from and to; else when the loss shows."""
    loss = clues.loss
    end_of_way = first_of(lowest((clues.sender.ended_at, clues.receiver.ended_at)), clues.sent_at)
    if loss.part in ("head", "all"):
        started = first_of(clues.pressure.began_at, clues.sender.opened_at)
    elif loss.part == "tail":
        started = first_of(loss.before_sent_at, end_of_way)
    else:
        started = first_of(loss.before_sent_at, loss.seen_at)
    if loss.part == "head":
        ended_at = first_of(clues.link.connected_at, clues.pressure.began_at)
    elif loss.part == "inner":
        ended_at = first_of(clues.lost_until, loss.after_sent_at, loss.seen_at)
    else:
        ended_at = lowest((first_of(clues.sent_at, clues.pressure.last_sent_at, end_of_way), loss.owed_until))
    return started, highest((ended_at, started))
