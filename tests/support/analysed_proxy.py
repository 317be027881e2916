"""Sockets with a proxy between them, and what an analysis says was lost behind it."""

import json
from pathlib import Path
from typing import Any

from written_sockets import WrittenSockets


def behind_a_proxy(sockets: WrittenSockets) -> None:
    for name, kind in (("quotes", "PUB"), ("relay-in", "XSUB"), ("relay-out", "XPUB"), ("screen", "SUB")):
        sockets.open(name, kind)
    sockets.proxy("relay", "relay-in", "relay-out")
    sockets.connect("quotes", "relay-in")
    sockets.connect("screen", "relay-out")


def told_behind_the_proxy(sockets: WrittenSockets, at: str) -> dict[str, Any]:
    """A report of an analysis that has found these losses between the proxy and its receiver."""
    known = {"host": "web-1", "process": sockets.writer.process}
    proxy = known | {"socket": None, "name": "relay", "type": "PROXY"}
    screen = known | {"socket": sockets.ids["screen"], "name": "screen", "type": "SUB"}
    hop = {"hop": "relay → screen", "from": proxy, "to": screen}
    incident = {"hop": "relay → screen", "cause": "slow_receiver", "certainty": "inferred", "lost": 5}
    about = {
        "started_at": at,
        "ended_at": at,
        "streams": [sockets.ids["quotes"]],
        "evidence": [],
        "advice": [],
    }
    window = {"from": "2026-01-01T00:00:00Z", "to": at}
    return {"window": window, "hops": [hop], "ledger": [], "incidents": [incident | about]}


def publish(report: dict[str, Any], folder: Path) -> None:
    """As a job does it: whoever looks finds the whole of it."""
    part = folder / "report.part"
    part.write_text(json.dumps(report))
    part.rename(folder / "report.json")
