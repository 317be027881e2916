"""What arguments of the command line mean, as types of argparse."""

import argparse
import math
import re
from datetime import datetime, timedelta, timezone

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def moment(text: str) -> datetime:
    """A time in ISO 8601 (UTC where no zone is said), or how long ago it was: 30m, 24h, 7d. Raises ArgumentTypeError."""
    ago = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text, re.ASCII)
    try:
        if ago:
            return datetime.now(timezone.utc) - timedelta(**{UNITS[ago[2]]: float(ago[1])})
        value = datetime.fromisoformat(text.removesuffix("Z") + "+00:00" if text.endswith("Z") else text)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time: say it as 2026-05-04, 2026-05-04T12:30:00 (UTC) or 2026-05-04T12:30:00+02:00, or as 30m, 24h or 7d ago"
        ) from None
    return value if value.tzinfo else value.replace(tzinfo=timezone.utc)


def seconds(text: str) -> float:
    """A number of seconds, 0 or more. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds: say 0 or more, as 5 or 0.5")
    return value
