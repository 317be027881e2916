"""Which connections one look tells of: those that are down, and those on which messages wait."""

from collections.abc import Iterable

from hopwatch_console.connection_records import Waiting
from hopwatch_console.connection_text import messages_wait, waits_for
from hopwatch_console.fleet.connected import Connected
from hopwatch_console.words import in_utc


def down(items: Iterable[Connected]) -> list[Connected]:
    """The newest first."""
    return sorted((item for item in items if not item.connection.is_up), key=_since, reverse=True)


def with_messages(items: Iterable[Connected]) -> list[Connected]:
    """Those of which the kernel says what they wait for, and then those with the most."""
    return sorted(filter(_has_messages, items), key=_most_messages)


def others(items: Iterable[Connected]) -> list[Connected]:
    """Those of which there is nothing to say."""
    return [item for item in items if item.connection.is_up and not _has_messages(item)]


def _has_messages(item: Connected) -> bool:
    return item.connection.is_up and messages_wait(item.connection)


def _most_messages(item: Connected) -> tuple[bool, int, int]:
    waiting = item.connection.waiting or Waiting(0, 0)
    return not waits_for(item.connection), -waiting.at_least, -waiting.at_most


def _since(item: Connected) -> float:
    since = item.connection.since
    return 0.0 if since is None else in_utc(since).timestamp()
