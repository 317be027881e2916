"""What filtering receivers subscribed to, counted as libzmq does: lanes that they cover, and changes of that."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hopwatch_judge.case import Lane
from hopwatch_judge.events import Subscribed
from hopwatch_judge.known import by_key
from hopwatch_judge.optional import first_of, highest, lowest

BEHIND_ALL = "\U0010ffff"
"""No topic's digit comes behind it."""


class Subscription(NamedTuple):
    """That a receiver subscribed to a topic, or to one of several. ``until``: when it last left one that it does not have again."""

    stands: bool
    since: float | None
    until: float | None


class Change(NamedTuple):
    """A topic (hex) came into force (``step`` 1), or went out of it (-1)."""

    at: float
    n: int
    topic: str
    step: int


def subscriptions(rows: Sequence[Subscribed], first_up_at: float | None) -> dict[str, Subscription]:
    """Return what one receiver's rows, in their order, say of each topic (hex).

    What it subscribed to before its first connection is asked for once that is up.
    """
    topics = by_key(_counted(rows), lambda each: each[0].topic)
    return {topic: _subscription(steps, first_up_at) for topic, steps in topics.items()}


def covered(topics: Mapping[str, Subscription], lanes: Sequence[Lane]) -> dict[int, Subscription]:
    """Return what topics say of those lanes whose topics begin with one of them. ``lanes``: in the order of their topics."""
    found: dict[int, Subscription] = {}
    for topic, subscription in topics.items():
        begin = bisect_left(lanes, topic, key=_topic)
        end = bisect_left(lanes, topic + BEHIND_ALL, key=_topic)
        for lane in lanes[begin:end]:
            other = found.get(lane.lane)
            found[lane.lane] = subscription if other is None else _either(subscription, other)
    return found


def changes_of_returner(rows: Sequence[Subscribed]) -> list[Change]:
    """Return when one receiver's topics came into force and went out of it; none, if it came to none after it had left one."""
    counted = ((row, (after > 0) - (before > 0)) for row, before, after in _counted(rows))
    changes = [Change(row.at, row.n or 0, row.topic, step) for row, step in counted if step]
    left = next((at for at, change in enumerate(changes) if change.step < 0), len(changes))
    returned = any(change.step > 0 for change in changes[left:])
    return changes if returned else []


def _counted(rows: Iterable[Subscribed]) -> Iterator[tuple[Subscribed, int, int]]:
    """Yield rows with how often their topic is subscribed to before and behind them.

    An unsubscription does nothing where no subscription is left. An event counts once: an agent that lost its database lands again what a journal
    repeats.
    """
    times: dict[str, int] = {}
    newest: dict[str, int | None] = {}
    for row in rows:
        if row.n is not None and newest.get(row.topic) == row.n:
            continue
        before = times.get(row.topic, 0)
        after = before + 1 if row.subscribes else max(0, before - 1)
        times[row.topic], newest[row.topic] = after, row.n
        yield row, before, after


def _subscription(steps: Sequence[tuple[Subscribed, int, int]], first_up_at: float | None) -> Subscription:
    stands = steps[-1][2] > 0
    asked_at = lowest(row.at for row, _, _ in steps if row.subscribes)
    left_at = highest(row.at for row, before, _ in steps if not row.subscribes and before)
    asked_to_end_at = highest(row.at for row, _, _ in steps if not row.subscribes)
    return Subscription(
        stands=stands,
        since=None if asked_at is None else highest((asked_at, first_up_at)),
        until=None if stands else first_of(left_at, asked_to_end_at),
    )


def _either(one: Subscription, other: Subscription) -> Subscription:
    return Subscription(
        stands=one.stands or other.stands,
        since=lowest((one.since, other.since)),
        until=highest((one.until, other.until)),
    )


def _topic(lane: Lane) -> str:
    return lane.topic
