"""How long an agent with 10,000 sockets and 100,000 lanes takes to answer for its lists, and what a large report holds up."""

from __future__ import annotations

import json
import statistics
import time
import urllib.request
from pathlib import Path

from agent_under_test import Journal, MeasuredAgent
from hopwatch_agent.report.content import content_of

SOCKETS, LANES_EACH, PROCESSES, TRIES = 10_000, 10, 4, 15
PATHS = (
    "/v1/sockets",
    "/v1/sockets?limit=100",
    "/v1/sockets?type=PUB&name=n7&limit=10",
    "/v1/sockets?losing=true",
    "/v1/connections?limit=100",
    "/v1/lanes?limit=100",
    "/v1/lanes?role=send&limit=100",
)
HOPS = 10_000


def main() -> None:
    with MeasuredAgent() as agent:
        journals = [_journal(agent.journal, number) for number in range(PROCESSES)]
        agent.start()
        while agent.get("/v1/status")["sockets"] < SOCKETS:
            time.sleep(0.1)
        for path in PATHS:
            rows, taken = zip(*(_asked(agent.url + path) for _ in range(TRIES)), strict=True)
            print(
                f"| {path} | {rows[0]:,} rows | median {1000 * statistics.median(taken):.0f} ms, longest {1000 * max(taken):.0f} ms |"
            )
        assert len(journals) == PROCESSES
    text = _report().encode()
    began = time.monotonic()
    content_of(text)
    print(f"| a report of {len(text) / 1e6:.0f} MB | read in {1000 * (time.monotonic() - began):.0f} ms |")


def _journal(directory: Path, process: int) -> Journal:
    journal = Journal(directory)
    link = {"accepted": True, "sent": 0, "received": 0, "local": "127.0.0.1:1", "remote": "127.0.0.1:2"}
    for number in range(SOCKETS // PROCESSES - 1):  # each journal has one of its own
        socket = f"{process + 1:04x}{number:012x}"
        kind = "PUB" if number % 2 else "SUB"
        journal.event("opened", socket=socket, name=f"n{number % 100}", type=kind, options={"sndhwm": 1000})
        endpoint = f"tcp://127.0.0.1:{number + 1}"
        journal.event("connected", socket=socket, connection=1, endpoint=endpoint, **link)
        for lane in range(LANES_EACH):
            journal.event("lane", socket=socket, stream=socket, lane=lane, topic=f"{lane:02x}", slot=None)
    journal.flush()
    return journal


def _asked(url: str) -> tuple[int, float]:
    began = time.monotonic()
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310
        body = answer.read()
    return len(json.loads(body)), time.monotonic() - began


def _report() -> str:
    """As large as one of so many hops, on each of which something was lost."""
    end = {"host": "box", "process": "0" * 16, "socket": "a" * 16, "name": "quotes", "type": "PUB"}
    counts = {"sent": 9, "delivered": 8, "lost": 1, "in_flight": 0, "unexplained": 0}
    hops = [
        {"hop": f"a → b{number}", "from": end, "to": end, "transport": "tcp", **counts}
        for number in range(HOPS)
    ]
    ledger = [
        {"stream": "a" * 16, "name": "a", "receiver": f"{number:016x}", **counts} for number in range(HOPS)
    ]
    at = "2026-11-25T02:26:04Z"
    texts = {
        "evidence": [{"kind": "rates", "text": "x" * 300}],
        "advice": ["x" * 200] * 3,
        "streams": ["a" * 16],
    }
    incidents = [
        {
            "hop": hop["hop"],
            "cause": "closed",
            "certainty": "exact",
            "started_at": at,
            "ended_at": at,
            "lost": 1,
            **texts,
        }
        for hop in hops
    ]
    report = {"window": {"from": at, "to": at}, "hops": hops, "ledger": ledger, "incidents": incidents}
    return json.dumps(report, indent=2, ensure_ascii=False)


if __name__ == "__main__":
    main()
