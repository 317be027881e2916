"""Times as answers give them."""

from datetime import datetime, timedelta, timezone

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def moment(at: int) -> datetime:
    """Nanoseconds since the epoch as a time."""
    return _EPOCH + timedelta(microseconds=at // 1000)


def moment_or_none(at: int | None) -> datetime | None:
    """The same, where 0 and None are no time."""
    return moment(at) if at else None
