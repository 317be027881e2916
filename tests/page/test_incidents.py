"""Incidents as they are listed: what an analysis does not know is said not to be known."""

import json
from pathlib import Path
from typing import Any

from agent_process import AgentProcess
from live_page import LivePage
from playwright.sync_api import expect

TIMES = {
    "service → a peer": (None, None),
    "old → screen": ("2026-11-26T10:00:00Z", "2026-11-26T10:05:00Z"),
    "new → screen": ("2026-11-27T10:00:00Z", "2026-11-27T10:05:00Z"),
    "quotes → a peer": (None, None),
}


def incident(hop: str, started_at: str | None, ended_at: str | None) -> dict[str, Any]:
    about = {
        "hop": hop,
        "cause": "unroutable",
        "certainty": "exact",
        "lost": 3,
        "evidence": [],
        "advice": ["x"],
    }
    return about | {"started_at": started_at, "ended_at": ended_at, "streams": ["00000000000000a1"]}


def test_those_of_unknown_time_say_so_and_come_last(agent: AgentProcess, tmp_path: Path, open_page) -> None:
    agent.terminate()
    folder = tmp_path / "report"
    folder.mkdir()
    window = {"from": "2026-11-26T00:00:00Z", "to": "2026-11-27T12:00:00Z"}
    told = [incident(hop, *times) for hop, times in TIMES.items()]
    report = {"window": window, "hops": [], "ledger": [], "incidents": told}
    (folder / "report.json").write_text(json.dumps(report))
    agent.start("--report", str(folder))
    live: LivePage = open_page(agent)
    cards = live.page.locator(".incident")
    untimed = [each["hop"] for each in agent.get("/v1/incidents") if each["started_at"] is None]
    expect(cards.locator("h3 bdi")).to_have_text(["new → screen", "old → screen", *untimed])
    expect(cards.nth(1).locator(".when")).to_contain_text("2026-11-26")
    for place in (2, 3):
        expect(cards.nth(place).locator(".when")).to_have_text(
            f"time not known; as the analysis has it of {analysed_at(agent)} UTC"
        )


def analysed_at(agent: AgentProcess) -> str:
    told: str = agent.get("/v1/incidents")[0]["analysed_at"]
    return told[11:19]
