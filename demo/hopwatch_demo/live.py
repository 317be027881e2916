"""Live numbers from the agent's HTTP API."""

import json
import urllib.error
import urllib.request
from typing import Any

SECONDS_TO_ANSWER = 2.0
WATCHED = ("quotes", "slow", "fast")


def progress_line(url: str, elapsed: float) -> str:
    """What the agent knows of the demo's sockets by now, as one line."""
    try:
        counters = _counters_by_name(url)
    except (urllib.error.URLError, TimeoutError) as error:
        return f"{elapsed:4.0f} s   the agent does not answer: {error}"
    sent, slow, fast = (counters.get(name, {}) for name in WATCHED)
    return (
        f"{elapsed:4.0f} s   sent {sent.get('sent', 0):>7,}"
        f"   slow: received {slow.get('received', 0):>7,}, lost so far {slow.get('lost', 0):>7,}"
        f"   fast: received {fast.get('received', 0):>7,}, lost so far {fast.get('lost', 0):>7,}"
    )


def _counters_by_name(url: str) -> dict[str, dict[str, int]]:
    with urllib.request.urlopen(f"{url}/v1/sockets", timeout=SECONDS_TO_ANSWER) as answer:  # noqa: S310
        sockets: list[dict[str, Any]] = json.load(answer)
    return {socket["name"]: socket["counters"] for socket in sockets}
